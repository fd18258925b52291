const { expect } = require('@hapi/code');
const { it } = (exports.lab = require('@hapi/lab').script());
const { bound } = require('./bound');

it('keeps small values', () => expect(bound(3)).to.equal(3));
