import { expect, test } from "bun:test";
import fc from "fast-check";
import { AcceptanceHistogram, type Bar, MOST_BARS } from "../../../src/deliveries/lists/histogram";
import { DELIVERY_STATUSES } from "../../../src/domain/delivery-status";

const NOW = Date.UTC(2026, 0, 31, 12);
const YEAR_MS = 366 * 86_400_000;
const delivery = fc.record({
  ageMs: fc.nat({ max: YEAR_MS }),
  status: fc.constantFrom(...DELIVERY_STATUSES),
});
/** Deliveries of the last milliseconds up to the last year. */
const deliveries = fc
  .tuple(fc.array(delivery, { minLength: 1, maxLength: 200 }), fc.integer({ min: 1, max: 10_000_000 }))
  .map(([all, part]) => all.map(({ ageMs, status }) => ({ at: NOW - Math.floor(ageMs / part), status })));

test("the bars count each delivery once, at its time and status, without gaps", () => {
  fc.assert(
    fc.property(deliveries, (all) => {
      const histogram = new AcceptanceHistogram();
      for (const { at, status } of all) histogram.add(at, status);
      const { barMs } = histogram;
      const bars = histogram.bars();
      expect(bars.length).toBeLessThanOrEqual(MOST_BARS);
      const expected = bars.map(({ atMs }, n): Bar => {
        expect(atMs).toBe((bars[0]?.atMs ?? 0) + n * barMs);
        const within = all.filter(({ at }) => at >= atMs && at < atMs + barMs);
        const of = (status: string) => within.filter((each) => each.status === status).length;
        return {
          atMs,
          pending: of("pending"),
          delivered: of("delivered"),
          failed: of("failed"),
          cancelled: of("cancelled"),
        };
      });
      expect(bars).toEqual(expected);
      const counted = bars.flatMap((bar) => DELIVERY_STATUSES.map((status) => bar[status]));
      expect(counted.reduce((sum, n) => sum + n, 0)).toBe(all.length);
    }),
  );
});

test("no deliveries make no bars", () => {
  expect(new AcceptanceHistogram().bars()).toEqual([]);
});
