import { expect, test } from "bun:test";
import { checkPartitions } from "../../src/installation/fixed-settings";
import { useDatabase } from "../support/postgres";

const database = await useDatabase();

test("the first process fixes the number of partitions, and a process with another number does not start", async () => {
  const { db } = database;
  const starts = [8, 16, 8, 16].map((partitions) => checkPartitions(db, partitions));
  const results = await Promise.allSettled(starts);
  const started = results.map(({ status }) => status === "fulfilled");
  expect([
    [true, false, true, false],
    [false, true, false, true],
  ]).toContainEqual(started);
  const reasons = results.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
  const [first, other] = started[0] ? [8, 16] : [16, 8];
  for (const reason of reasons)
    expect(reason).toBe(
      `Error: HERMOD_PARTITIONS is ${other}, but this installation was made with ${first}: it can't change`,
    );
});
