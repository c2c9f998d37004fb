import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import { Cluster } from "../support/faults/cluster";
import { Meddler } from "../support/faults/meddler";
import { Random } from "../support/faults/random";
import { Trial } from "../support/faults/trial";
import { until } from "../support/faults/until";

setDefaultTimeout(60_000);

const PARTITIONS = 32;
const MEDDLING_MS = 1_500;

let cluster: Cluster;
let trial: Trial;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_PARTITIONS: String(PARTITIONS) } });
  trial = new Trial(cluster);
  await Promise.all([cluster.launch("api", "api"), cluster.launch("dispatcher", "dispatcher")]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

test("deliveries go on when NATS comes back with a store that is old", () =>
  trial.underLoad(async () => {
    const restore = await cluster.nats.backUp();
    await trial.received(300);
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

/** Resolves when stream and consumers are as the service made them. */
async function putRight(was: Awaited<ReturnType<typeof cluster.nats.topology>>): Promise<void> {
  const isRight = async () => isDeepStrictEqual(await cluster.nats.topology(), was);
  await until(isRight, { withinMs: 10_000, pollMs: 100, what: "the stream and consumers of before" });
}

test("a stream that somebody configured otherwise is put right", () =>
  trial.underLoad(async () => {
    const was = await cluster.nats.topology();
    await cluster.nats.reconfigureStream();
    await putRight(was);
  }));

test("a stream of another kind in its place gives way", () =>
  trial.underLoad(async () => {
    const was = await cluster.nats.topology();
    await cluster.nats.replaceStream();
    await putRight(was);
  }));

test("consumers that somebody configured otherwise give way", () =>
  trial.underLoad(async () => {
    const was = await cluster.nats.topology();
    await cluster.nats.replaceConsumers(PARTITIONS);
    await putRight(was);
  }));
