import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { NatsConnection } from "nats";
import { newId } from "../../src/domain/ids";
import { startNats } from "../../src/embedded/nats";
import { createLog } from "../../src/runtime/log";
import { StreamConnection } from "../../src/stream/connection";
import { decodeHints } from "../../src/stream/hint";
import { Publisher } from "../../src/stream/publisher";
import { ensureStream, STREAM, subjectOf } from "../../src/stream/topology";
import { connectTo } from "../embedded/clients";
import { type Folder, makeFolder } from "../embedded/folder";
import { until } from "../support/faults/until";
import { NATS_COMMAND } from "../support/nats-command";
import { streamSigner } from "../support/signers";

setDefaultTimeout(120_000);

let folder: Folder;
let nats: NatsConnection;
let connection: StreamConnection;

beforeAll(async () => {
  folder = await makeFolder();
  const server = await startNats({ ...folder, command: NATS_COMMAND });
  nats = await connectTo(server.url);
  await ensureStream(await nats.jetstreamManager(), TOPOLOGY);
  connection = new StreamConnection(server.url, createLog("silent"));
  await connection.ready;
});

afterAll(async () => {
  await connection.close();
  await nats.close();
  await folder[Symbol.asyncDispose]();
});

const TOPOLOGY = { partitions: 4, replicas: 1, maxBytes: 64 * 1_048_576 };
/** Each test has a partition of its own. */
let partitions = 0;

/** A publisher whose timers fire when the test says so, and the sequences of each message of a partition. */
async function publishing({ isHandedOver = false, to = connection, data = "{}" } = {}) {
  const time = { now: 0 };
  const refusals: unknown[] = [];
  const log = Object.assign(createLog("silent"), { warn: (facts: unknown) => refusals.push(facts) });
  const partition = partitions++;
  const reader = streamSigner();
  const messages: number[][] = [];
  const sizes: number[] = [];
  const timers: (() => void)[] = [];
  nats.subscribe(subjectOf(partition), {
    callback: (_, { subject, data }) => {
      const verdict = reader.verify(subject, data);
      const body = verdict.kind === "genuine" ? verdict.body : Buffer.from("");
      messages.push((decodeHints(body, partition) ?? []).map(({ sequence }) => sequence));
      sizes.push(data.length);
    },
  });
  await nats.flush();
  const publisher = new Publisher({
    connection: to,
    signer: streamSigner(),
    clock: {
      monotonic: () => time.now,
      after: (_, fire) => {
        timers.push(fire);
        return () => {};
      },
    },
    log,
  });
  const publish = (...sequences: number[]) => {
    for (const sequence of sequences) {
      const ids = { id: newId("wh"), accountId: newId("acc"), endpointId: newId("ep") };
      publisher.publish(
        {
          ...ids,
          partition,
          sequence,
          event: null,
          orderingKey: null,
          eventExternalId: null,
          revision: 1,
          data,
        },
        isHandedOver,
      );
    }
  };
  /** Publishes each in a message of its own. Resolves once those that left have reached the server. */
  const publishEach = async (count: number) => {
    for (let i = 1; i <= count; i++) {
      time.now += 10;
      publish(i);
      await Promise.resolve();
    }
    await connection.answers(5_000);
    await nats.flush();
  };
  const arrived = (count: number) => until(() => messages.length >= count, { what: `message ${count}` });
  return { partition, publisher, publish, publishEach, messages, sizes, timers, arrived, time, refusals };
}

test("deliveries published in one turn leave in one message per partition, in order", async () => {
  const { publish, messages, timers, arrived, time } = await publishing();
  publish(2, 1);
  await arrived(1);
  time.now += 10;
  publish(3);
  await arrived(2);
  expect(messages).toEqual([[1, 2], [3]]);
  expect(timers).toEqual([]);
});

test("deliveries that follow a message within some time leave in one message", async () => {
  const { publish, messages, timers, arrived, time } = await publishing();
  publish(1);
  await arrived(1);
  publish(2);
  await nats.flush();
  publish(3);
  await nats.flush();
  expect(messages).toEqual([[1]]);
  expect(timers).toHaveLength(1);
  timers.pop()?.();
  await arrived(2);
  time.now += 10;
  publish(4);
  await arrived(3);
  expect(messages).toEqual([[1], [2, 3], [4]]);
});

test("deliveries that this process already has are gathered, and leave at once with one that others wait for", async () => {
  const { publisher, partition, publish, messages, timers, arrived, time } = await publishing({
    isHandedOver: true,
  });
  publish(2, 1);
  await nats.flush();
  expect(messages).toEqual([]);
  timers.pop()?.();
  await arrived(1);
  publish(3);
  time.now += 10;
  const ids = { id: newId("wh"), accountId: newId("acc"), endpointId: newId("ep") };
  publisher.publish(
    {
      ...ids,
      partition,
      sequence: 4,
      event: null,
      orderingKey: null,
      eventExternalId: null,
      revision: 1,
      data: "{}",
    },
    false,
  );
  await arrived(2);
  expect(messages).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test("deliveries are gathered no longer once their payloads are large", async () => {
  const { publish, messages, arrived } = await publishing({ isHandedOver: true, data: "x".repeat(60_000) });
  publish(1, 2, 3, 4, 5, 6, 7, 8, 9);
  await arrived(2);
  expect(messages.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("drained leaves nothing behind, however much of the time is left", async () => {
  const { publisher, publish, messages, timers, arrived } = await publishing({ isHandedOver: true });
  publish(1, 2);
  await publisher.drained();
  await arrived(1);
  timers.pop()?.();
  expect(messages).toEqual([[1, 2]]);
});

test("a refusing stream is tried ten times a second, and gets everything once it accepts", async () => {
  const { publisher, publishEach, messages, refusals, time } = await publishing();
  const manager = await nats.jetstreamManager();
  await manager.streams.update(STREAM, { max_msg_size: 1 });
  await publishEach(1);
  await until(() => refusals.length > 0, { what: "the refusal" });
  const before = messages.length;
  time.now = 1_000;
  for (let round = 0; round < 3; round++) await publishEach(5);
  expect(messages.length).toBe(before + 2);
  await ensureStream(manager, TOPOLOGY);
  time.now = 1_200;
  await publishEach(1);
  const again = messages.length;
  await until(async () => {
    await publishEach(5);
    return messages.length >= again + 5;
  });
  expect(refusals).toHaveLength(1);
  expect(publisher.refusals).toBeGreaterThan(1);
});

test("a stream that does not answer gets no more than it can handle, until its timeout", async () => {
  const { publishEach, messages, time } = await publishing({ data: "x".repeat(60_000) });
  const manager = await nats.jetstreamManager();
  // Then only the listener of this test is left.
  await manager.streams.delete(STREAM);
  await publishEach(1_000);
  const most = messages.length;
  expect(most * 60_000).toBeWithin(30_000_000, 40_000_000);
  await ensureStream(manager, TOPOLOGY);
  time.now = 5_001;
  await publishEach(1);
  await until(async () => {
    time.now += 100;
    await publishEach(10);
    return messages.length >= most + 10;
  });
});

test("a server with small messages gets small ones, and large payloads stay in Postgres", async () => {
  const { live } = connection;
  if (!live?.info) throw new Error("NATS is not there");
  const info = { ...live.info, max_payload: 2_000 };
  const to = Object.create(connection, { live: { value: Object.create(live, { info: { value: info } }) } });
  const { publish, messages, sizes, arrived } = await publishing({ to });
  publish(...Array.from({ length: 30 }, (_, i) => i + 1));
  await arrived(2);
  await until(() => messages.flat().length === 30);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000);
});
