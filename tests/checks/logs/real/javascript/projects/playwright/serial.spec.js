const { expect, test } = require('@playwright/test');

test.describe.serial('steps', () => {
  test('one', () => expect(1).toBe(1));
  test('two', () => expect(1).toBe(2));
  test('three', () => expect(1).toBe(1));
});
