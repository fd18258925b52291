describe('clock', function () {
  this.timeout(50);
  it('never strikes', (done) => {});
  it('ticks', () => {});
});
