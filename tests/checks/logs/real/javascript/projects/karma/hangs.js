describe('loop', () => {
  it('starts', () => expect(1).toBe(1));
  it('never ends', () => {
    for (;;);
  });
});
