describe('switched off', () => {
  xit('one', () => {});
  it('two');
});
