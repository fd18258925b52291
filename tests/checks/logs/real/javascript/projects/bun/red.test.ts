import { expect, test } from "bun:test";

test("total", () => expect(1 + 2).toBe(4));
test("first", () => expect([1][0]).toBe(1));
test.skip("later", () => {});
test.todo("some day");
