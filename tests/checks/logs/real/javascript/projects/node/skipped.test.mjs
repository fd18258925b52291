import { test } from 'node:test';

test.skip('one', () => {});
test.todo('two');
