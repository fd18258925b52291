import { expect, test } from 'vitest';

test('looks as before', () => expect('new').toMatchSnapshot());
test('other', () => expect(1).toBe(1));
