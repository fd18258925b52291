let tries = 0;
jest.retryTimes(2);
test('passes at the second try', () => expect(++tries).toBe(2));
