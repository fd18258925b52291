import { test } from 'node:test';
import { missing } from './missing.mjs';

test('never runs', () => missing());
