describe('process', () => {
  it('starts', () => {});
  it('leaves', () => process.exit(0));
  it('is checked', () => {
    throw new Error('never reached');
  });
});
