import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  RetentionPolicy,
  type StreamConfig,
} from "nats";
import { startNats } from "../../src/embedded/nats";
import type { EmbeddedServer } from "../../src/embedded/server";
import {
  consumerConfig,
  createConsumer,
  ensureStream,
  STREAM,
  type Topology,
  updateConsumer,
} from "../../src/stream/topology";
import { connectTo } from "../embedded/clients";
import { type Folder, makeFolder } from "../embedded/folder";
import { NATS_COMMAND } from "../support/nats-command";

const TOPOLOGY: Topology = { partitions: 4, replicas: 1, maxBytes: 8 * 1_048_576 };

let folder: Folder;
let server: EmbeddedServer;
let nats: NatsConnection;
let manager: JetStreamManager;

beforeAll(async () => {
  folder = await makeFolder();
  server = await startNats({ ...folder, command: NATS_COMMAND });
  nats = await connectTo(server.url);
  manager = await nats.jetstreamManager();
});

afterAll(async () => {
  await nats.close();
  await folder[Symbol.asyncDispose]();
});

/** Returns the requests to NATS' API while `work` runs. */
async function askedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const asked: string[] = [];
  const name = (subject: string) => subject.split(".").slice(2, 4).join(".");
  const listening = nats.subscribe("$JS.API.>", { callback: (_, { subject }) => asked.push(name(subject)) });
  await nats.flush();
  await work();
  await nats.flush();
  listening.unsubscribe();
  return asked;
}

async function streamNow(): Promise<StreamConfig> {
  return (await manager.streams.info(STREAM)).config;
}

test("a correct stream is read and left alone", async () => {
  await ensureStream(manager, TOPOLOGY);
  expect(await askedDuring(() => ensureStream(manager, TOPOLOGY))).toEqual(["STREAM.INFO"]);
});

const changes: Partial<StreamConfig>[] = [
  { subjects: ["elsewhere"] },
  { max_bytes: 2_000_000 },
  { max_msgs: 7 },
  { max_age: 1e12 },
  { max_msg_size: 100 },
  { max_msgs_per_subject: 3 },
  { max_msgs_per_subject: 3, discard: DiscardPolicy.New, discard_new_per_subject: true },
  { discard: DiscardPolicy.New },
  { no_ack: true },
];

test.each(changes)("a stream changed to %j is repaired", async (change) => {
  await ensureStream(manager, TOPOLOGY);
  const right = await streamNow();
  await manager.streams.update(STREAM, change);
  expect(await streamNow()).not.toEqual(right);
  await ensureStream(manager, TOPOLOGY);
  expect(await streamNow()).toEqual(right);
});

test("a stream that no update can repair is created anew", async () => {
  await ensureStream(manager, TOPOLOGY);
  const right = await streamNow();
  await manager.streams.delete(STREAM);
  await manager.streams.add({ ...right, retention: RetentionPolicy.Workqueue });
  await ensureStream(manager, TOPOLOGY);
  expect(await streamNow()).toEqual(right);

  const sealed = { ...right, sealed: true };
  await manager.streams.update(STREAM, sealed);
  expect((await streamNow()).sealed).toBe(true);
  await ensureStream(manager, TOPOLOGY);
  expect(await streamNow()).toEqual(right);
});

test("a stream larger than the disk is made smaller, and grows once there is space", async () => {
  await manager.streams.delete(STREAM);
  const tooLarge = { ...TOPOLOGY, maxBytes: 2 ** 50 };
  await ensureStream(manager, tooLarge);
  const { max_bytes } = await streamNow();
  expect(max_bytes).toBeWithin(1_048_576, 2 ** 30);
  expect(await ensureStream(manager, tooLarge)).toBe(max_bytes);
  await ensureStream(manager, { ...TOPOLOGY, maxBytes: 2 * max_bytes });
  expect((await streamNow()).max_bytes).toBe(2 * max_bytes);
});

test("an existing consumer is replaced", async () => {
  await ensureStream(manager, TOPOLOGY);
  const id = crypto.randomUUID();
  await manager.consumers.add(STREAM, { ...consumerConfig(id, [1]), max_ack_pending: 1, ack_wait: 1e9 });
  await createConsumer(manager, id, [2, 3]);
  const { config } = await manager.consumers.info(STREAM, consumerConfig(id, []).durable_name);
  expect(config).toMatchObject(consumerConfig(id, [2, 3]));
});

test("a consumer of one partition is changed to none and to many", async () => {
  await ensureStream(manager, TOPOLOGY);
  const id = crypto.randomUUID();
  await createConsumer(manager, id, [1]);
  for (const partitions of [[], [1], [1, 2, 3], [2]]) {
    const { config } = await updateConsumer(manager, id, partitions);
    expect(config).toMatchObject(consumerConfig(id, partitions));
  }
});
