import test from 'ava';

test('leaves a rejection behind', async (t) => {
  Promise.reject(new Error('nobody waits for me'));
  await new Promise((resolve) => setTimeout(resolve, 30));
  t.pass();
});
