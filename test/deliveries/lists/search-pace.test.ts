import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  ALL_ACCOUNTS_SCAN_SIZES,
  PAYLOAD_SCAN_SIZES,
  SCAN_SIZES,
  type ScanSizes,
  SearchPace,
} from "../../../src/deliveries/lists/search-pace";

/** Returns the sizes of a search's pieces, and its duration in milliseconds. `msOf` is the time that a piece takes. */
async function paced(sizes: ScanSizes, msOf: (scan: number, piece: number) => number) {
  let now = 0;
  const pace = new SearchPace(sizes, (work) => work(), { monotonic: () => now });
  const scans: number[] = [];
  while (!pace.isOver) {
    await pace.piece(async (scan) => {
      now += msOf(scan, scans.length);
      scans.push(scan);
    });
  }
  return { scans, tookMs: now };
}

test("fast candidates are examined in ever larger pieces", async () => {
  const { scans, tookMs } = await paced(SCAN_SIZES, (scan) => 10 + scan * 0.002);
  expect(scans.slice(0, 4)).toEqual([1_024, 4_096, 16_384, 16_384]);
  expect(tookMs).toBeLessThanOrEqual(250 + 10);
});

test("slow candidates are examined in smaller pieces, and the last piece ends in time", async () => {
  const { scans, tookMs } = await paced(PAYLOAD_SCAN_SIZES, (scan) => scan * 10);
  expect(scans).toEqual([16, 4, 4, 1]);
  expect(tookMs).toBe(250);
});

test("a search ends after its first piece if that took too long", async () => {
  const { scans } = await paced(PAYLOAD_SCAN_SIZES, (scan) => scan * 80);
  expect(scans).toEqual([16]);
});

test.each([SCAN_SIZES, PAYLOAD_SCAN_SIZES, ALL_ACCOUNTS_SCAN_SIZES])(
  "at a steady pace, a search with %o ends in time and its pieces have few sizes",
  async (sizes) => {
    const few = Array.from({ length: 9 }, (_, i) => sizes.most / 4 ** i).filter((size) => size > 1);
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0.0001, max: 100, noNaN: true }),
        async (fixedMs, msOfOne) => {
          const { scans, tookMs } = await paced(sizes, (scan) => fixedMs + scan * msOfOne);
          for (const scan of scans) expect([1, ...few]).toContain(scan);
          const [first = 0] = scans;
          expect(tookMs).toBeLessThanOrEqual(Math.max(250 + fixedMs, fixedMs + first * msOfOne));
        },
      ),
    );
  },
);
