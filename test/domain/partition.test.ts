import { expect, test } from "bun:test";
import { type EndpointId, newId } from "../../src/domain/ids";
import { partitionOf } from "../../src/domain/partition";

/**
 * Rows carry these numbers: when this fails, an installation would look for its deliveries where
 * they are not. The values were computed by another implementation of FNV-1a and are not to be corrected.
 */
const GOLDEN = [
  ["00000000-0000-0000-0000-000000000000", 37, 93, 805],
  ["ffffffff-ffff-ffff-ffff-ffffffffffff", 28, 80, 476],
  ["0199a3c4-5b6d-7e8f-8a9b-0c1d2e3f4a5b", 3, 75, 707],
  ["0199a3c4-5b6d-7e8f-8a9b-0c1d2e3f4a5c", 48, 56, 304],
  ["01980000-0000-7000-8000-000000000001", 7, 87, 199],
  ["019b1234-abcd-7ef0-9876-0123456789ab", 49, 5, 753],
] as const;

test.each(GOLDEN)("the partition of %s never changes", (id, of64, of100, of1024) => {
  expect(partitionOf(id as EndpointId, 64)).toBe(of64);
  expect(partitionOf(id as EndpointId, 100)).toBe(of100);
  expect(partitionOf(id as EndpointId, 1_024)).toBe(of1024);
});

test("one partition holds every endpoint", () => {
  for (let i = 0; i < 100; i++) expect(partitionOf(newId("ep"), 1)).toBe(0);
});

test("endpoints created in a row are spread evenly over the partitions", () => {
  for (const partitions of [2, 7, 64, 1_000]) {
    const counts = new Array<number>(partitions).fill(0);
    const expected = 200;
    for (let i = 0; i < partitions * expected; i++) {
      const partition = partitionOf(newId("ep"), partitions);
      counts[partition] = (counts[partition] ?? Number.NaN) + 1;
    }
    // The standard deviation of a fair draw is √200; six of them never happen.
    for (const count of counts) expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
  }
});
