describe('nothing yet', () => {});
