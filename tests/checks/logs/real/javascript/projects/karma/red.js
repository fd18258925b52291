describe('map', () => {
  it('has size', () => expect(new Map().size).toBe(1));
  it('is a map', () => expect(new Map()).toBeInstanceOf(Map));
  xit('sorts', () => {});
});
