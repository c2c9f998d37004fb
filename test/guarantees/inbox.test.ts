import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { storm } from "../client/inbox-storm";
import { Cluster } from "../support/faults/cluster";
import { useDatabase } from "../support/postgres";

setDefaultTimeout(120_000);

const receiving = await useDatabase();

test("shuffled, repeated webhooks leave one effect each, in the sender's order, when receivers, service and Postgres are killed", async () => {
  await using cluster = await Cluster.start({ postgres: "embedded" });
  const service = await cluster.launch("all", "all");
  const receivers = [
    { driver: "bun:sqlite", address: join(cluster.folder, "receiver.sqlite") },
    { driver: "postgres.js", address: receiving.url },
  ] as const;
  const results = await storm({ cluster, service, receivers, count: 500, kills: 2, roundTripMs: 10 });
  for (const { sent, done } of results) {
    expect(done).toHaveLength(500);
    expect(done).toEqual([...sent]);
  }
});
