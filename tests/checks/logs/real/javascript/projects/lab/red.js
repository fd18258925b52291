const { expect } = require('@hapi/code');
const { describe, it } = (exports.lab = require('@hapi/lab').script());

describe('map', () => {
  it('has size', () => expect(new Map().size).to.equal(1));
  it('is a map', () => expect(new Map()).to.be.instanceof(Map));
  it('sorts', { skip: true }, () => {});
});
