Deno.test.only("alone", () => {});
Deno.test("left out", () => {
  throw new Error("never run");
});
