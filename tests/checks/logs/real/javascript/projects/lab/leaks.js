const { it } = (exports.lab = require('@hapi/lab').script());

it('leaves a global behind', () => {
  global.forgotten = 1;
});
