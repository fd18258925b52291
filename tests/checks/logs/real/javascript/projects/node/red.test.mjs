import assert from 'node:assert/strict';
import { test } from 'node:test';

test('total', () => assert.equal(1 + 2, 4));
test('first', () => assert.equal([1][0], 1));
test('later', { skip: 'not now' }, () => {});
test('some day', { todo: true }, () => assert.fail('not written'));
