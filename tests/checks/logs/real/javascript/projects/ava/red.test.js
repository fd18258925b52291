import test from 'ava';

test('total', (t) => t.is(1 + 2, 4));
test('first', (t) => t.is([1][0], 1));
test.skip('later', (t) => t.pass());
