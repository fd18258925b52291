import test from 'ava';

test('waits for ever', async (t) => {
  setInterval(() => {}, 1000);
  await new Promise(() => {});
  t.pass();
});
test('quick', (t) => t.pass());
