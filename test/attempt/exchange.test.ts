import { expect, test } from "bun:test";
import { succeeded } from "../../src/attempt/exchange";

test("only a whole 2xx is a success", () => {
  for (const status of [200, 201, 204, 299]) expect(succeeded({ status, error: null })).toBe(true);
  for (const status of [0, 199, 300, 304, 404, 500]) expect(succeeded({ status, error: null })).toBe(false);
  expect(succeeded({ status: 200, error: "timeout" })).toBe(false);
});
