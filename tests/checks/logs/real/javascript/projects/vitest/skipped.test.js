import { describe, test } from 'vitest';

describe.skip('switched off', () => {
  test('one', () => {});
  test('two', () => {});
});
