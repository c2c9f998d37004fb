import { expect, test } from "bun:test";
import { isDue } from "../../../src/console/shared/resource";

test("an answer that takes seconds is asked for less often than one that comes at once", () => {
  expect(isDue(5_000, 20)).toBe(true);
  expect(isDue(5_000, 2_000)).toBe(false);
  expect(isDue(20_000, 2_000)).toBe(true);
});
