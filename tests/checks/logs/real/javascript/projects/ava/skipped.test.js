import test from 'ava';

test.skip('one', (t) => t.pass());
test.todo('two');
