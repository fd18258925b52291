import { expect, test } from 'vitest';

let tries = 0;
test('passes at the second try', { retry: 2 }, () => expect(++tries).toBe(2));
test('steady', () => expect(1).toBe(1));
