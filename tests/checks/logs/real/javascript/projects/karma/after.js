describe('net', () => {
  it('answers', () => expect(1).toBe(1));
  afterAll(() => {
    throw new Error('cannot close');
  });
});
