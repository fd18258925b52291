Deno.test("adds", () => {
  if (1 + 2 !== 3) throw new Error("wrong");
});
Deno.test("list", async (t) => {
  await t.step("is empty", () => {});
  await t.step("grows", () => {});
});
Deno.test({ name: "later", ignore: true, fn() {} });
