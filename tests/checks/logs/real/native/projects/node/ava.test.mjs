import test from 'ava';
test('adds', t => t.is(1 + 2, 3));
test.todo('planned');
test.skip('later', t => t.fail());
if (process.env.BAD) test('rounds', t => t.is(2, 3));
test.failing('known bug', t => t.is(1, 2));
