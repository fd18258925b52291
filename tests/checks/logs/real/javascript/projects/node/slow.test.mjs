import { test } from 'node:test';

test('waits too long', { timeout: 100 }, (t, done) => setTimeout(done, 5000));
test('quick', () => {});
