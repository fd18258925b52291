const { expect } = require('@hapi/code');
const { describe, it } = (exports.lab = require('@hapi/lab').script());

describe('list', () => {
  it('is empty', () => expect([].length).to.equal(0));
  it('grows', () => expect([1].length).to.equal(1));
  it('sorts', { skip: true }, () => {});
  it('shuffles');
});
