import { test } from 'vitest';

test('before', () => {});
test('leaves', () => process.exit(0));
test('after', () => {});
