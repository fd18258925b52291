const { it } = (exports.lab = require('@hapi/lab').script());

it('one', { skip: true }, () => {});
it('two');
