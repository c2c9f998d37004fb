import { heapStats } from "bun:jsc";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { AckPolicy, type ConsumerConfig, type JetStreamManager, type NatsConnection } from "nats";
import { newId } from "../../src/domain/ids";
import { startNats } from "../../src/embedded/nats";
import { type Clock, systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { StreamConnection } from "../../src/stream/connection";
import { StreamConsumer } from "../../src/stream/consumer";
import { encodeHints } from "../../src/stream/hint";
import type { Refusal } from "../../src/stream/signer";
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
import { TcpProxy } from "../support/faults/tcp-proxy";
import { until } from "../support/faults/until";
import { NATS_COMMAND } from "../support/nats-command";
import { streamSigner } from "../support/signers";

setDefaultTimeout(120_000);

const TOPOLOGY: Topology = { partitions: 4, replicas: 1, maxBytes: 64 * 1_048_576 };
/** The time within which a consumer is checked. */
const LOOKS_MS = 1.25 * CHECK_EVERY_MS;

let folder: Folder;
let nats: NatsConnection;
let manager: JetStreamManager;
let connection: StreamConnection;
let url: string;

beforeAll(async () => {
  folder = await makeFolder();
  const server = await startNats({ ...folder, command: NATS_COMMAND });
  url = server.url;
  nats = await connectTo(url);
  manager = await nats.jetstreamManager();
  await ensureStream(manager, TOPOLOGY);
  connection = new StreamConnection(url, createLog("silent"));
});

afterAll(async () => {
  await connection.close();
  await nats.close();
  await folder[Symbol.asyncDispose]();
});

/** Each test has partitions of its own. */
let partitions = 0;

/** Publishes as another process does. */
const sender = streamSigner();

function signed(partition: number, sequence: number, signer = sender): Uint8Array {
  const ids = { id: newId("wh"), accountId: newId("acc"), endpointId: newId("ep") };
  const message = {
    ...ids,
    partition,
    sequence,
    event: null,
    orderingKey: null,
    eventExternalId: null,
    revision: 1,
    data: "{}",
  };
  return signer.sign(subjectOf(partition), encodeHints([message]));
}

/** A dispatcher that follows a partition, and the hints that it gets. */
class Follower implements AsyncDisposable {
  readonly id = crypto.randomUUID();
  readonly partition = partitions++;
  readonly signer = streamSigner();
  /** The partitions that it was given each time. */
  readonly begun: (readonly number[])[] = [];
  readonly heard: number[] = [];
  readonly warnings: unknown[] = [];
  private sent = 0;
  readonly consumer: StreamConsumer;

  private constructor(connection: StreamConnection) {
    this.consumer = new StreamConsumer(this.id, {
      connection,
      signer: this.signer,
      clock: systemClock,
      log: Object.assign(createLog("silent"), { warn: (facts: unknown) => this.warnings.push(facts) }),
      onHint: ({ sequence }) => this.heard.push(sequence),
      onFollowing: (partitions) => this.begun.push(partitions),
    });
  }

  static async start(on = connection): Promise<Follower> {
    const follower = new Follower(on);
    follower.consumer.follow([follower.partition]);
    follower.consumer.start();
    await until(() => follower.hears(), { what: "a first message" });
    return follower;
  }

  /** Returns true if a message sent now arrives soon. */
  async hears(partition = this.partition): Promise<boolean> {
    const sequence = ++this.sent;
    nats.publish(subjectOf(partition), signed(partition, sequence));
    return until(() => this.heard.includes(sequence), { withinMs: 500 }).catch(() => false);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.consumer.stop();
  }
}

async function configOf({ id }: Follower): Promise<ConsumerConfig> {
  return (await manager.consumers.info(STREAM, consumerName(id))).config;
}

test.concurrent("a consumer that is reconfigured while it is followed is repaired, and followed again", async () => {
  await using follower = await Follower.start();
  const right = await configOf(follower);
  await manager.consumers.update(STREAM, consumerName(follower.id), { headers_only: true });
  expect(await follower.hears()).toBe(false);
  await until(() => follower.hears(), { what: "messages again" });
  expect(await configOf(follower)).toEqual(right);
  expect(follower.begun).toEqual([[follower.partition], [follower.partition]]);
});

test.concurrent("a consumer that is replaced is repaired, and followed again", async () => {
  await using follower = await Follower.start();
  const right = await configOf(follower);
  // Once more if the follower made its own again before.
  const replace = async () => {
    await manager.consumers.delete(STREAM, consumerName(follower.id));
    return manager.consumers.add(STREAM, { ...right, ack_policy: AckPolicy.Explicit, max_ack_pending: 1 });
  };
  await until(replace, { what: "a consumer of somebody else" });
  await until(async () => Bun.deepEquals(await configOf(follower), right), { what: "our consumer" });
  await until(() => follower.hears(), { what: "messages again" });
  expect(follower.begun.length).toBeGreaterThan(1);
  expect(follower.begun.every((each) => Bun.deepEquals(each, [follower.partition]))).toBe(true);
});

test.concurrent("a consumer is created anew once its lost connection is back", async () => {
  const proxy = await TcpProxy.to(url);
  const own = new StreamConnection(proxy.urlFor(url), createLog("silent"));
  await using follower = await Follower.start(own);
  const createdAt = async () => (await manager.consumers.info(STREAM, consumerName(follower.id))).created;
  const before = await createdAt();
  proxy.cut();
  await until(async () => (await createdAt()) !== before, { what: "another consumer" });
  await until(() => follower.hears(), { what: "its messages" });
  await own.close();
  await proxy.end();
});

test.concurrent("an unchanged consumer stays followed", async () => {
  await using follower = await Follower.start();
  await Bun.sleep(LOOKS_MS);
  await until(() => follower.hears(), { what: "a message" });
  expect(follower.begun).toEqual([[follower.partition]]);
});

test.concurrent("a consumer changes partitions from its position on, and reports the new ones", async () => {
  await using follower = await Follower.start();
  const { partition: kept, consumer } = follower;
  const [gained, never] = [partitions++, partitions++];
  const sent: number[] = [];
  let isOver = false;
  const sending = (async () => {
    for (let sequence = 1_001; !isOver; sequence++) {
      nats.publish(subjectOf(kept), signed(kept, sequence));
      nats.publish(subjectOf(never), signed(never, 1_000_000 + sequence));
      sent.push(sequence);
      await Bun.sleep(1);
    }
  })();
  for (let i = 0; i < 5; i++) {
    expect(consumer.follow([kept, gained])).toBe(true);
    await until(() => consumer.isFollowing, { what: "the new partition" });
    await until(() => follower.hears(gained), { what: "a message of the new partition" });
    expect(consumer.follow([kept])).toBe(true);
    await until(() => consumer.isFollowing, { what: "the old one alone" });
    expect(await follower.hears(gained)).toBe(false);
  }
  isOver = true;
  await sending;
  await until(() => follower.hears(), { what: "a message" });
  expect(follower.heard.filter((sequence) => sequence > 1_000)).toEqual(sent);
  expect(follower.begun).toEqual([[kept], ...Array.from({ length: 5 }, () => [[gained], []]).flat()]);
});

test.concurrent("a consumer without partitions gets nothing until it has one", async () => {
  await using follower = await Follower.start();
  follower.consumer.follow([]);
  await until(() => follower.consumer.isFollowing, { what: "no partition" });
  expect(await follower.hears()).toBe(false);
  follower.consumer.follow([follower.partition]);
  await until(() => follower.hears(), { what: "messages again" });
});

const floods: [
  what: string,
  message: (follower: Follower, subject: string) => Uint8Array,
  reason: Refusal,
][] = [
  ["garbage", () => Buffer.alloc(10_000, "x"), "not a message of Hermod"],
  [
    "messages in its own name",
    ({ signer }, subject) => signer.sign(subject, Buffer.alloc(10_000)).with(-1, 1),
    "changed, or moved to another subject",
  ],
];

test.concurrent.each(floods)(
  "a consumer skips a flood, and continues behind it: %s",
  async (_, messageTo, reason) => {
    await using follower = await Follower.start();
    const { consumer, partition, begun } = follower;
    const subject = subjectOf(partition);
    const put = () => nats.publish(subject, messageTo(follower, subject));
    for (let i = 0; i < 2_000; i++) put();
    await until(() => !consumer.isFollowing, { what: "a rest" });
    // It is flooded for as long as it rests, with more than could be read at once.
    const flood = setInterval(put, 1);
    await Bun.sleep(1_000);
    clearInterval(flood);
    await nats.flush();
    await until(() => begun.length === 2, { what: "the end of the rest" });
    await until(() => follower.hears(), { what: "a message" });
    expect(follower.warnings).toEqual([{ subject, reason, refused: 1 }]);
  },
);

test.concurrent("a consumer skips messages of its own process", async () => {
  await using follower = await Follower.start();
  const subject = subjectOf(follower.partition);
  nats.publish(subject, signed(follower.partition, 8_000, follower.signer));
  await until(() => follower.hears(), { what: "a message" });
  expect(follower.heard).not.toContain(8_000);
});

test("a signed message of another format version is refused with a warning, and later ones arrive", async () => {
  await using follower = await Follower.start();
  const subject = subjectOf(follower.partition);
  const entry = { id: "wh_1", sequence: "one" };
  for (const body of [
    "",
    "{",
    "[1]",
    "null\n",
    `${JSON.stringify([entry])}\n`,
    `${JSON.stringify({ v: 2 })}\n`,
  ]) {
    nats.publish(subject, sender.sign(subject, Buffer.from(body)));
  }
  await until(() => follower.hears(), { what: "a message" });
  expect(follower.warnings).toEqual([{ subject, reason: "made by another version of Hermod", refused: 1 }]);
});

test("failed tries, as without JetStream, leave nothing behind, and log one warning", async () => {
  let tries = 0;
  const failing = {
    live: null,
    onRegained: () => {},
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
  const warnings: unknown[] = [];
  const consumer = new StreamConsumer("none", {
    connection: failing as unknown as StreamConnection,
    signer: streamSigner(),
    clock: atOnce,
    log: Object.assign(createLog("silent"), { warn: (facts: unknown) => warnings.push(facts) }),
    onHint: () => {},
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
  expect(warnings).toEqual([{ error: "JetStream is off" }]);
});
