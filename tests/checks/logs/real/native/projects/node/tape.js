const test = require('tape');
test('adds', t => { t.equal(1 + 2, 3); t.ok(true, 'yes'); t.end(); });
test('later', { skip: true }, t => { t.fail(); t.end(); });
test('todo', { todo: true }, t => { t.equal(1, 2); t.end(); });
if (process.env.BAD) test('rounds', t => { t.equal(2, 3); t.end(); });
