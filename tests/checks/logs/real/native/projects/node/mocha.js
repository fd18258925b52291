const assert = require('node:assert');
describe('shop', () => { it('adds', () => assert.equal(1 + 2, 3)); it.skip('later'); it('planned'); if (process.env.BAD) it('rounds', () => assert.equal(2, 3)); });
