import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  PAYLOAD_SCAN_SIZES,
  SCAN_SIZES,
  type ScanSizes,
  SearchPace,
} from "../../../src/deliveries/lists/search-pace";

/** The sizes of the pieces of a search in which one candidate takes so long, milliseconds. */
async function sizesAt(msOf: (piece: number) => number): Promise<{ sizes: number[]; tookMs: number }> {
  let now = 0;
  const pace = new SearchPace(PAYLOAD_SCAN_SIZES, (work) => work(), { monotonic: () => now });
  const sizes: number[] = [];
  while (!pace.isOver) {
    await pace.piece(async (scan) => {
      now += Math.max(scan * msOf(sizes.length), 1);
      sizes.push(scan);
    });
  }
  return { sizes, tookMs: now };
}

test("small payloads are looked at in ever larger pieces", async () => {
  const { sizes } = await sizesAt(() => 0.02);
  expect(sizes.slice(0, 3)).toEqual([16, 64, 64]);
});

test("large ones in small pieces, so that a search of a second does not take much longer", async () => {
  const { sizes, tookMs } = await sizesAt(() => 80);
  expect(sizes).toEqual([16]);
  expect(tookMs).toBeLessThan(2_000);
  expect((await sizesAt((piece) => (piece === 0 ? 30 : 20))).sizes.slice(0, 3)).toEqual([16, 4, 16]);
});

test("large ones behind small ones take a piece that is not too large, and then smaller ones", async () => {
  const { sizes, tookMs } = await sizesAt((piece) => (piece < 2 ? 0.1 : 80));
  expect(sizes).toEqual([16, 64, 64]);
  expect(tookMs).toBeLessThan(6_000);
});

test.each([
  [SCAN_SIZES, [2, 8, 32, 128, 512, 2_048, 8_192]],
  [PAYLOAD_SCAN_SIZES, [1, 4, 16, 64]],
] as [ScanSizes, number[]][])(
  "of %o pieces have few sizes, however quick and slow they are",
  async (sizes, few) => {
    const took = fc.constantFrom(0, 200, 500);
    await fc.assert(
      fc.asyncProperty(fc.array(took, { minLength: 10 }), async (durations) => {
        let now = 0;
        const pace = new SearchPace(sizes, (work) => work(), { monotonic: () => now });
        for (const duration of durations) {
          await pace.piece(async (scan) => {
            now += duration;
            expect(few).toContain(scan);
          });
        }
      }),
    );
  },
);
