const missing = require('./missing');

test('never runs', () => missing());
