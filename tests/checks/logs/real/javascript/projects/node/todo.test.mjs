import assert from 'node:assert/strict';
import { test } from 'node:test';

test('works', () => {});
test('some day', { todo: true }, () => assert.fail('not written'));
