import { beforeAll, describe, test } from 'vitest';

describe('database', () => {
  beforeAll(() => {
    throw new Error('no connection');
  });
  test('reads', () => {});
  test('writes', () => {});
});
