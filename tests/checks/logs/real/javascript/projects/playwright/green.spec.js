const { expect, test } = require('@playwright/test');

test('adds', () => expect(1 + 2).toBe(3));
test('subtracts', () => expect(3 - 2).toBe(1));
