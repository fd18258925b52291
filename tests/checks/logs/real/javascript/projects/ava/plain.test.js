import test from 'ava';

test('one', (t) => t.pass());
test('two', (t) => t.pass());
