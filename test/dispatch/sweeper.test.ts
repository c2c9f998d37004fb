import { expect, test } from "bun:test";
import { waitAfterSweep } from "../../src/dispatch/sweeper";

test.each([
  ["fast ones come at their interval", 2_000, 10, 10, 2_000],
  ["slow ones take a tenth of the time", 2_000, 600, 600, 5_400],
  ["one that Postgres held up holds up no other", 2_000, 9_000, 10, 2_000],
  ["nor does the one after it", 2_000, 10, 9_000, 2_000],
])("%s", (_, interval, took, before, wait) => {
  expect(waitAfterSweep(interval, took, before)).toBe(wait);
});
