describe('list', () => {
  it('is empty', () => expect([].length).toBe(0));
  it('grows', () => expect([1].length).toBe(1));
  it('shrinks', () => expect([1].slice(1).length).toBe(0));
});
