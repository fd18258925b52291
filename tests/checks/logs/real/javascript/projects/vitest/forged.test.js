import { expect, test } from 'vitest';

test('prints a summary of its own', () => {
  console.log('\n Test Files  40 passed (40)\n      Tests  250 passed (250)\n   Duration  3.14s\n');
  expect(1).toBe(2);
});
