import assert from 'node:assert/strict';
import { test } from 'node:test';

test('before', () => {});
test('leaves', () => process.exit(0));
test('after', () => assert.fail('never reached'));
