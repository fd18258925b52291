import { test } from "bun:test";
import { missing } from "./missing";

test("never runs", () => missing());
