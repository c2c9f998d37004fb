import { heapStats } from "bun:jsc";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { AckPolicy, type ConsumerConfig, type JetStreamManager, type NatsConnection } from "nats";
import { startNats } from "../../src/embedded/nats";
import { type Clock, systemClock } from "../../src/runtime/clock";
import { newId } from "../../src/runtime/ids";
import { createLog } from "../../src/runtime/log";
import { StreamConnection } from "../../src/stream/connection";
import { StreamConsumer } from "../../src/stream/consumer";
import { encodeMessages } from "../../src/stream/message";
import {
  CHECK_EVERY_MS,
  consumerName,
  ensureStream,
  STREAM,
  subjectOf,
  type Topology,
} from "../../src/stream/topology";
import { connectTo } from "../embedded/clients";
import { type Folder, makeFolder } from "../embedded/folder";
import { until } from "../support/faults/until";
import { NATS_COMMAND } from "../support/nats-command";

setDefaultTimeout(30_000);

const TOPOLOGY: Topology = { partitions: 4, replicas: 1, maxBytes: 64 * 1_048_576 };
/** In it a consumer is looked at, milliseconds. */
const LOOKS_MS = 1.25 * CHECK_EVERY_MS;

let folder: Folder;
let nats: NatsConnection;
let manager: JetStreamManager;
let connection: StreamConnection;

beforeAll(async () => {
  folder = await makeFolder();
  const server = await startNats({ ...folder, command: NATS_COMMAND });
  nats = await connectTo(server.url);
  manager = await nats.jetstreamManager();
  await ensureStream(manager, TOPOLOGY);
  connection = new StreamConnection(server.url, createLog("silent"));
});

afterAll(async () => {
  await connection.close();
  await nats.close();
  await folder[Symbol.asyncDispose]();
});

/** One who follows the messages for a dispatcher, and what it hears. */
class Follower implements AsyncDisposable {
  readonly id = crypto.randomUUID();
  /** How often it began to follow. */
  begun = 0;
  private readonly heard = new Set<number>();
  private sent = 0;
  private readonly consumer = new StreamConsumer(this.id, {
    connection,
    topology: TOPOLOGY,
    clock: systemClock,
    log: createLog("silent"),
    onMessage: ({ sequence }) => this.heard.add(sequence),
    onFollowing: () => this.begun++,
  });

  static async start(): Promise<Follower> {
    const follower = new Follower();
    follower.consumer.start();
    await until(() => follower.hears(), { what: "a first message" });
    return follower;
  }

  /** True when a message that is sent now is heard soon. */
  async hears(): Promise<boolean> {
    const sequence = ++this.sent;
    const ids = { id: newId("wh"), accountId: newId("acc"), endpointId: newId("ep") };
    const message = { ...ids, sequence, event: null, orderingKey: null, revision: 1, data: "{}" };
    nats.publish(subjectOf(this.id), encodeMessages([message]));
    const heard = () => this.heard.has(sequence);
    return until(heard, { withinMs: 500 }).catch(() => false);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.consumer.stop();
  }
}

async function configOf({ id }: Follower): Promise<ConsumerConfig> {
  return (await manager.consumers.info(STREAM, consumerName(id))).config;
}

test.concurrent("a consumer that somebody configures otherwise while it is followed is put right, and followed anew", async () => {
  await using follower = await Follower.start();
  const right = await configOf(follower);
  await manager.consumers.update(STREAM, consumerName(follower.id), { headers_only: true });
  expect(await follower.hears()).toBe(false);
  await until(() => follower.hears(), { what: "messages again" });
  expect(await configOf(follower)).toEqual(right);
  expect(follower.begun).toBe(2);
});

test.concurrent("a consumer that somebody replaces is put right, and followed anew", async () => {
  await using follower = await Follower.start();
  const right = await configOf(follower);
  await manager.consumers.delete(STREAM, consumerName(follower.id));
  await manager.consumers.add(STREAM, { ...right, ack_policy: AckPolicy.Explicit, max_ack_pending: 1 });
  await until(async () => Bun.deepEquals(await configOf(follower), right), { what: "our consumer" });
  await until(() => follower.hears(), { what: "messages again" });
  expect(follower.begun).toBe(2);
});

test.concurrent("a consumer that nobody touches is followed on", async () => {
  await using follower = await Follower.start();
  await Bun.sleep(LOOKS_MS);
  expect(await follower.hears()).toBe(true);
  expect(follower.begun).toBe(1);
});

test("of tries that fail, as where JetStream is off, nothing is kept", async () => {
  let tries = 0;
  const failing = {
    live: null,
    get ready() {
      tries++;
      return Promise.reject(new Error("JetStream is off"));
    },
  };
  const atOnce: Clock = {
    ...systemClock,
    after(_, fire) {
      const immediate = setImmediate(fire);
      return () => clearImmediate(immediate);
    },
  };
  const consumer = new StreamConsumer("none", {
    connection: failing as unknown as StreamConnection,
    topology: TOPOLOGY,
    clock: atOnce,
    log: createLog("silent"),
    onMessage: () => {},
    onFollowing: () => {},
  });
  const promisesAfter = async (count: number) => {
    await until(() => tries >= count);
    Bun.gc(true);
    return heapStats().objectTypeCounts.Promise ?? 0;
  };
  consumer.start();
  const early = await promisesAfter(1_000);
  expect((await promisesAfter(21_000)) - early).toBeLessThan(2_000);
  await consumer.stop();
});
