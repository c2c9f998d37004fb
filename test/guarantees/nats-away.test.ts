import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import { Cluster } from "../support/faults/cluster";
import { Trial } from "../support/faults/trial";

setDefaultTimeout(120_000);

let cluster: Cluster;
let trial: Trial;

beforeAll(async () => {
  cluster = await Cluster.start({ postgres: "shared" });
  trial = new Trial(cluster);
  await Promise.all([cluster.launch("api", "api"), cluster.launch("dispatcher", "dispatcher")]);
});

afterAll(() => cluster[Symbol.asyncDispose]());

test("deliveries go on while NATS is down, and go on when it is back", () =>
  trial.underLoad(async () => {
    const restart = await cluster.nats.stop();
    await trial.received(100);
    await restart();
  }));

test("deliveries go on when NATS comes back with an empty store", () =>
  trial.underLoad(async () => {
    const restart = await cluster.nats.empty();
    await trial.received(100);
    await restart();
  }));

test("deliveries go on when the stream is deleted", () => trial.underLoad(() => cluster.nats.deleteStream()));

test("deliveries go on when consumers are deleted", () =>
  trial.underLoad(() => cluster.nats.deleteConsumers()));

test("a process that both accepts and delivers is as fast without NATS", async () => {
  await using one = await Cluster.start({ postgres: "shared" });
  await one.launch("one", "all");
  const alone = new Trial(one);
  await alone.underLoad(async (usualMs) => {
    const restart = await one.nats.stop();
    // The sweeps, 200 ms apart, alone would bring half of the deliveries 100 ms later.
    await alone.halfWithin(usualMs + 40);
    await restart();
  });
});
