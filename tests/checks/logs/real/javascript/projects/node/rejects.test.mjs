import { test } from 'node:test';

test('leaves a rejection behind', () => {
  setTimeout(() => Promise.reject(new Error('late')), 10);
});
test('waits', (t, done) => setTimeout(done, 60));
