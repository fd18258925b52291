import test from 'ava';

test.serial('before', (t) => t.pass());
test.serial('leaves', () => process.exit(0));
test.serial('after', (t) => t.fail());
