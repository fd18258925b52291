const { expect, test } = require('@playwright/test');

test('passes at the second try', ({}, info) => expect(info.retry).toBe(1));
test('steady', () => expect(1).toBe(1));
