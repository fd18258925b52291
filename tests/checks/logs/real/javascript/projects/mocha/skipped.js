describe.skip('switched off', () => {
  it('one', () => {});
  it('two', () => {});
});
