import { test } from "bun:test";

test.skip("one", () => {});
test.todo("two");
