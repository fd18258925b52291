const assert = require('assert');
const { bound } = require('./bound');

describe('bound', () => it('keeps small values', () => assert.equal(bound(3), 3)));
