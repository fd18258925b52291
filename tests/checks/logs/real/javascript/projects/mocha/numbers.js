describe('help', () => {
  it('prints numbered lines', () => console.log('  1) install\n  2) run'));
});
