describe('switched off', () => {
  xit('one', () => {});
  xit('two', () => {});
});
