import test from 'ava';

test('adds', (t) => t.is(1 + 2, 3));
test('subtracts', (t) => t.is(3 - 2, 1));
test.skip('later', (t) => t.pass());
test.todo('some day');
test.failing('known fault', (t) => t.is(0.1 + 0.2, 0.3));
