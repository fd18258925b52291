beforeAll(() => {
  throw new Error('no connection');
});
test('reads', () => {});
test('writes', () => {});
