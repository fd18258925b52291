const { test } = require('@playwright/test');

test.skip('one', () => {});
test.fixme('two', () => {});
