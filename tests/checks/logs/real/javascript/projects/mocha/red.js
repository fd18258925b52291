const assert = require('assert');

describe('map', () => {
  it('has size', () => assert.equal(new Map().size, 1));
  it('is a map', () => assert.ok(new Map() instanceof Map));
  describe('with a connection', () => {
    before(() => {
      throw new Error('no connection');
    });
    it('reads', () => {});
    it('writes', () => {});
  });
});
