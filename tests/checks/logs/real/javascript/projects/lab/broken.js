const { it } = (exports.lab = require('@hapi/lab').script());
const missing = require('./missing');

it('never runs', () => missing());
