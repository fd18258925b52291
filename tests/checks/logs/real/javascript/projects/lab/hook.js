const { before, describe, it } = (exports.lab = require('@hapi/lab').script());

describe('database', () => {
  before(() => {
    throw new Error('no connection');
  });
  it('reads', () => {});
  it('writes', () => {});
});
