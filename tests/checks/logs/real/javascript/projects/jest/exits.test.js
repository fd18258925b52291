test('before', () => {});
test('leaves', () => process.exit(0));
