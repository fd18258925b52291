import { test } from "bun:test";

test("before", () => {});
test("leaves", () => process.exit(0));
test("after", () => {
  throw new Error("never reached");
});
