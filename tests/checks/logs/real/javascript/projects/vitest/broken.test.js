import { test } from 'vitest';
import { missing } from './missing.js';

test('never runs', () => missing());
