const { test } = require('@playwright/test');

test('one', () => {});
test('goes on', async () => {
  await new Promise((resolve) => setTimeout(resolve, 20000));
});
test('three', () => {});
