import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Cluster } from "../support/faults/cluster";
import { Meddler } from "../support/faults/meddler";
import { NatsCluster } from "../support/faults/nats-cluster";
import { Random } from "../support/faults/random";
import { Trial } from "../support/faults/trial";
import { until } from "../support/faults/until";

setDefaultTimeout(60_000);

const PARTITIONS = 16;
const MEDDLING_MS = 1_500;
const SETTINGS = { HERMOD_PARTITIONS: String(PARTITIONS), HERMOD_SWEEP_INTERVAL: "500ms" };

let cluster: Cluster;
let trial: Trial;
/** It takes seconds to elect who leads it, so it does that beside the other tests. */
let threeNodes: Promise<NatsCluster>;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: SETTINGS });
  threeNodes = NatsCluster.start(join(cluster.folder, "nodes"), cluster.journal);
  trial = new Trial(cluster);
  await Promise.all([cluster.launch("api", "api"), cluster.launch("dispatcher", "dispatcher")]);
});

afterAll(async () => {
  await (await threeNodes).close();
  await cluster[Symbol.asyncDispose]();
});

test("deliveries go on when NATS comes back with a store that is old", () =>
  trial.underLoad(async () => {
    const restore = await cluster.nats.backUp();
    await trial.received(200);
    await restore();
  }));

test("messages that are stolen, repeated, shuffled, misplaced and made up change nothing", () =>
  trial.underLoad(async () => {
    const over = cluster.journal.begin("a meddler at the stream", "nuisance");
    const nats = await cluster.nats.connect();
    const meddler = new Meddler(nats, PARTITIONS, new Random(11));
    await meddler.meddle(MEDDLING_MS);
    await nats.close();
    over();
    expect(meddler.taken).toBeGreaterThan(20);
    expect(meddler.put).toBeGreaterThan(500);
  }));

test("stream and consumers that somebody configured otherwise, or replaced, are put right", () =>
  trial.underLoad(async () => {
    const { nats } = cluster;
    const was = await nats.topology();
    const isRight = async () => isDeepStrictEqual(await nats.topology(), was);
    const putRight = () => until(isRight, { withinMs: 10_000, pollMs: 50, what: "stream and consumers" });
    await nats.reconfigureStream();
    await putRight();
    await nats.replaceStream();
    await putRight();
    await nats.replaceConsumers(PARTITIONS);
    await putRight();
  }));

describe("in a cluster of three nodes", () => {
  beforeAll(async () => {
    await cluster.stopProcesses();
    const env = { NATS_URL: (await threeNodes).url, HERMOD_STREAM_REPLICAS: "3" };
    await Promise.all([
      cluster.launch("api-3", "api", env),
      cluster.launch("dispatcher-3", "dispatcher", env),
    ]);
  });

  test("deliveries go on when the stream's leader dies and another node follows it, and are fast again after", () =>
    trial.underLoad(async () => {
      const nodes = await threeNodes;
      const restartLeader = await nodes.killLeader();
      await trial.received(200);
      const restartOther = await nodes.killOther();
      await trial.received(200);
      await Promise.all([restartLeader(), restartOther()]);
    }));

  test("every consumer is on every node", () =>
    until(
      async () =>
        (await (await threeNodes).replicasOfConsumers()).join() === Array(PARTITIONS).fill(3).join(),
      {
        what: "consumers with three replicas",
      },
    ));
});
