Deno.test("leaves a timer behind", () => {
  setTimeout(() => {}, 10000);
});
Deno.test("works", () => {});
