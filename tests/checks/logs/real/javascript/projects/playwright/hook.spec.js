const { test } = require('@playwright/test');

test.beforeAll(() => {
  throw new Error('no connection');
});
test('reads', () => {});
test('writes', () => {});
