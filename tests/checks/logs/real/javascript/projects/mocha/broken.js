const missing = require('./missing');

describe('never', () => it('runs', () => missing()));
