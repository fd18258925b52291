import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';

test('adds', () => assert.equal(1 + 2, 3));
describe('list', () => {
  it('is empty', () => assert.equal([].length, 0));
  it('grows', async (t) => {
    await t.test('by one', () => {});
    await t.test('by two', () => {});
  });
});
