import { expect, test } from "bun:test";
import { PAYLOAD_SCAN_SIZES, SearchPace } from "../../src/deliveries/search-pace";

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
