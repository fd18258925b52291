import { describe, expect, test } from "bun:test";

describe("list", () => {
  test("is empty", () => expect([].length).toBe(0));
  test("grows", () => expect([1].length).toBe(1));
});
