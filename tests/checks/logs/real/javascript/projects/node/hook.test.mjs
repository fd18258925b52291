import { before, describe, it } from 'node:test';

describe('database', () => {
  before(() => {
    throw new Error('no connection');
  });
  it('reads', () => {});
  it('writes', () => {});
});
