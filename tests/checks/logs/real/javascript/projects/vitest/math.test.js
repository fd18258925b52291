import { describe, expect, test } from 'vitest';

describe('math', () => {
  test('adds', () => expect(1 + 2).toBe(3));
  test('subtracts', () => expect(3 - 2).toBe(1));
  test.each([[2, 4], [3, 9]])('squares %i', (n, square) => expect(n * n).toBe(square));
});
