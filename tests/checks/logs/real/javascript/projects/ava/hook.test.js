import test from 'ava';

test.before(() => {
  throw new Error('no connection');
});
test('reads', (t) => t.pass());
test('writes', (t) => t.pass());
