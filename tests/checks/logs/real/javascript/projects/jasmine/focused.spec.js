describe('some', () => {
  fit('alone', () => expect(1).toBe(1));
  it('left out', () => expect(1).toBe(2));
});
