Deno.test("starts", () => {});
throw new Error("before any test");
