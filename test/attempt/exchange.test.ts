import { expect, test } from "bun:test";
import { type ExchangeError, succeeded } from "../../src/attempt/exchange";

function exchange(status: number, error: ExchangeError | null) {
  return { status, error, startedAt: 1, durationMs: 1, responseBody: null, retryAfterMs: null };
}

test("only a whole 2xx is a success", () => {
  for (const status of [200, 201, 204, 299]) expect(succeeded(exchange(status, null))).toBe(true);
  for (const status of [0, 199, 300, 304, 404, 500]) expect(succeeded(exchange(status, null))).toBe(false);
  expect(succeeded(exchange(200, "timeout"))).toBe(false);
});
