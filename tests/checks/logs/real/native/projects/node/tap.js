const t = require('tap');
t.test('adds', t => { t.equal(1 + 2, 3); t.end(); });
t.test('later', { skip: 'no network' }, t => t.end());
t.test('nested', async t => { await t.test('inner', t => { t.ok(true); if (process.env.BAD) t.equal(2, 3); t.end(); }); });
