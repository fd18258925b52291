import { beforeAll, test } from "bun:test";

beforeAll(() => {
  throw new Error("no connection");
});
test("reads", () => {});
test("writes", () => {});
