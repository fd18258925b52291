import { expect, test } from 'vitest';
import { bound } from './bounds.js';

test('small', () => expect(bound(3)).toBe(3));
