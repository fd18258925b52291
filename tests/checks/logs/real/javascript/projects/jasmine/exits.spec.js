describe('process', () => {
  it('starts', () => expect(1).toBe(1));
  it('leaves', () => process.exit(0));
  it('is checked', () => expect(1).toBe(2));
});
