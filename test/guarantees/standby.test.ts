import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { check } from "../support/faults/checker/check";
import { receiptsByEndpoint } from "../support/faults/checker/evidence";
import { Cluster, KEY } from "../support/faults/cluster";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

/** Sends that are accepted before and after each fault. */
const SOME = 150;

let cluster: Cluster;

afterEach(() => cluster[Symbol.asyncDispose]());

/** Starts the service over two Postgres servers of its own, and a load. */
async function begin(postgres: "synchronous" | "asynchronous") {
  cluster = await Cluster.start({ postgres, env: { HERMOD_QUERY_TIMEOUT: "2s" } });
  const service = await cluster.launch("all", "all");
  const endpoints = await cluster.newEndpoints(20);
  const newLoad = (seed: number) =>
    new Load({
      apis: [service.url],
      key: KEY,
      endpoints,
      random: new Random(seed),
      workers: 8,
      perSecond: 400,
    });
  return { newLoad };
}

async function untilMore(load: Load, what: string): Promise<void> {
  const before = load.accepted;
  await until(() => load.accepted > before + SOME, { what });
}

test("nothing is lost or reordered when the primary is killed and its synchronous standby promoted", async () => {
  const { newLoad } = await begin("synchronous");
  const load = newLoad(1).start();
  await untilMore(load, "a load");
  const startStandby = await cluster.pair.killStandby();
  // A commit without the standby's answer waits, so no send is accepted that a promotion could lose.
  const isRefusing = () => load.sends.some(({ outcome }) => outcome.kind !== "accepted");
  await until(isRefusing, { what: "sends that are refused without the standby" });
  await startStandby();
  await untilMore(load, "a load after the standby was away");
  const promote = await cluster.pair.killPrimary();
  await promote();
  await untilMore(load, "a load on the promoted server");
  await load.stop();
  await cluster.settled();
  expect(check(await cluster.evidence([load]))).toEqual([]);
  expect(load.misfits).toEqual([]);
});

test("a promoted asynchronous standby lacks only what was accepted while it lagged, and order continues", async () => {
  const { newLoad } = await begin("asynchronous");
  const kept = newLoad(2).start();
  await untilMore(kept, "a load");
  await kept.stop();
  await cluster.settled();
  await cluster.pair.untilLevel();
  const startStandby = await cluster.pair.killStandby();
  const lagging = newLoad(3).start();
  await untilMore(lagging, "a load without the standby");
  await lagging.stop();
  const promote = await cluster.pair.killPrimary();
  await startStandby();
  await promote();
  const later = newLoad(4).start();
  await untilMore(later, "a load on the promoted server");
  await later.stop();
  await cluster.settled();
  const evidence = await cluster.evidence([kept, lagging, later]);
  const stored = new Set(evidence.ledger.deliveries.map(({ id }) => id));
  const lost = (load: Load) =>
    load.sends.filter(({ outcome }) => outcome.kind === "accepted" && !stored.has(outcome.id)).length;
  expect([lost(kept), lost(lagging), lost(later)]).toEqual([0, lagging.accepted, 0]);
  // Sequences of lost deliveries are given again, so the receivers' requests are judged from the promotion on.
  const own = new Set(
    later.sends.flatMap(({ outcome }) => (outcome.kind === "accepted" ? [outcome.id] : [])),
  );
  const receipts = evidence.receipts.filter(({ webhookId }) => own.has(webhookId));
  expect(new Set(receipts.map(({ webhookId }) => webhookId)).size).toBe(own.size);
  for (const each of receiptsByEndpoint(receipts).values()) {
    const sequences = each.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  }
});
