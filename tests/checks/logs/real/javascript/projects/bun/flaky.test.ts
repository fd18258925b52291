import { expect, test } from "bun:test";

let tries = 0;
test("passes at the second try", () => expect(++tries).toBe(2), { retry: 2 });
test("steady", () => expect(1).toBe(1));
