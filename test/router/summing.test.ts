import { expect, test } from "bun:test";
import { addSeries } from "../../src/router/summing";

const times = { p50: 31, p95: 64, p99: 160 };

function point(count: number, delivery_ms: typeof times | null) {
  return {
    at: "2026-01-31T12:00:00.000Z",
    accepted: count,
    delivered: count,
    delivered_first: count,
    failed: 0,
    cancelled: 0,
    backlog: count,
    attempts: { none: 0, "2xx": count },
    delivery_ms,
    receiver_ms: null,
  };
}

test("the figures of cells are added, and percentiles shown where one cell alone has some", () => {
  const cells = [
    [point(1, times), point(1, times)],
    [point(10, null), point(10, times)],
    [point(100, null), point(100, times)],
  ];
  expect(addSeries(cells)).toEqual([point(111, times), point(111, null)]);
});
