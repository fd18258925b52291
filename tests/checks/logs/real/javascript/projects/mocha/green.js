const assert = require('assert');

describe('list', () => {
  it('is empty', () => assert.equal([].length, 0));
  it('grows', () => assert.equal([1].length, 1));
  it('is slow', (done) => setTimeout(done, 90));
  it.skip('sorts', () => {});
  it('shuffles');
});
