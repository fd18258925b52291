import { test } from 'vitest';

test('waits too long', () => new Promise(() => {}), 100);
