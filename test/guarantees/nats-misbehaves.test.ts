import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Cluster, ENCRYPTION_KEY } from "../support/faults/cluster";
import { Meddler } from "../support/faults/meddler";
import { NatsCluster } from "../support/faults/nats-cluster";
import { Random } from "../support/faults/random";
import { Trial } from "../support/faults/trial";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const PARTITIONS = 16;
const DISPATCHERS = ["first", "second"];
const MEDDLING_MS = 1_500;
const SETTINGS = { HERMOD_PARTITIONS: String(PARTITIONS), HERMOD_SWEEP_INTERVAL: "1s" };

let cluster: Cluster;
let trial: Trial;
/** Runs beside the other tests, because elections take seconds. */
let inThreeNodes: Promise<void>;

beforeAll(async () => {
  inThreeNodes = losingNodes();
  inThreeNodes.catch(() => {});
  cluster = await Cluster.start({ postgres: "shared", env: SETTINGS });
  trial = new Trial(cluster);
  await Promise.all([
    cluster.launch("api", "api"),
    ...DISPATCHERS.map((name) => cluster.launch(name, "dispatcher")),
  ]);
});

afterAll(async () => {
  await inThreeNodes.catch(() => {});
  await cluster[Symbol.asyncDispose]();
});

/** Kills the stream's leader under load, then another node, so that the third has no quorum. */
async function losingNodes(): Promise<void> {
  await using another = await Cluster.start({ postgres: "shared", env: SETTINGS });
  await using nodes = await NatsCluster.start(join(another.folder, "nodes"), another.journal);
  const ours = new Trial(another);
  const env = { NATS_URL: nodes.url, HERMOD_STREAM_REPLICAS: "3" };
  await Promise.all([another.launch("api", "api", env), another.launch("dispatcher", "dispatcher", env)]);
  await ours.underLoad(async () => {
    const restartLeader = await nodes.killLeader();
    await ours.received(100);
    const restartOther = await nodes.killOther();
    await ours.received(100);
    await Promise.all([restartLeader(), restartOther()]);
  });
  await until(async () => (await nodes.replicasOfConsumers()).join() === String(nodes.size), {
    what: "the consumer on every node",
  });
}

test("deliveries go on when NATS comes back with an old store", () =>
  trial.underLoad(async () => {
    const restore = await cluster.nats.backUp();
    await trial.received(100);
    await restore();
  }));

test("stolen, repeated, shuffled, misplaced and forged messages change nothing", () =>
  trial.underLoad(async () => {
    const over = cluster.journal.begin("a meddler at the stream", "nuisance");
    const nats = await cluster.nats.connect();
    const meddler = new Meddler(nats, new Random(11), ENCRYPTION_KEY);
    while (meddler.taken <= 20 || meddler.put <= 500) await meddler.meddle(MEDDLING_MS);
    await nats.close();
    over();
  }));

test("a reconfigured or replaced stream or consumer is repaired", () =>
  trial.underLoad(async () => {
    const { nats } = cluster;
    // The dispatchers may still be creating their consumers, after the test before.
    const was = await until(
      async () => {
        const topology = await nats.topology();
        return topology.consumers.length === DISPATCHERS.length && topology;
      },
      { what: "a consumer for each dispatcher" },
    );
    const isRight = async () => isDeepStrictEqual(await nats.topology(), was);
    const putRight = () => until(isRight, { pollMs: 50, what: "stream and consumers" });
    await nats.reconfigureStream();
    await putRight();
    await nats.replaceStream();
    await putRight();
    await nats.replaceConsumers();
    await putRight();
    await nats.reconfigureConsumers();
    await putRight();
  }));

test("deliveries go on when two of three NATS nodes die one after the other, the leader first", () =>
  inThreeNodes);
