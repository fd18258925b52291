describe('stream', () => {
  it('ends', () => {
    setTimeout(() => {
      throw new Error('late');
    }, 10);
  });
  it('waits', (done) => setTimeout(done, 60));
});
