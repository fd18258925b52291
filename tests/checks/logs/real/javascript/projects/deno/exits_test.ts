Deno.test("before", () => {});
Deno.test("leaves", () => Deno.exit(0));
Deno.test("after", () => {});
