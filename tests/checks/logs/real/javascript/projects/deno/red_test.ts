Deno.test("total", () => {
  if (1 + 2 !== 4) throw new Error("3 is not 4");
});
Deno.test("first", () => {});
Deno.test("list", async (t) => {
  await t.step("is empty", () => {});
  await t.step("is full", () => {
    throw new Error("it is not");
  });
});
