const { test } = require('@playwright/test');

test('before', () => {});
test('leaves', () => process.exit(0));
test('after', () => {});
