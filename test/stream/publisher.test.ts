import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { NatsConnection } from "nats";
import { startNats } from "../../src/embedded/nats";
import { newId } from "../../src/runtime/ids";
import { createLog } from "../../src/runtime/log";
import { StreamConnection } from "../../src/stream/connection";
import { decodeMessages } from "../../src/stream/message";
import { Publisher } from "../../src/stream/publisher";
import { ensureStream, subjectOf } from "../../src/stream/topology";
import { connectTo } from "../embedded/clients";
import { type Folder, makeFolder } from "../embedded/folder";
import { until } from "../support/faults/until";
import { NATS_COMMAND } from "../support/nats-command";

setDefaultTimeout(30_000);

let folder: Folder;
let nats: NatsConnection;
let connection: StreamConnection;

beforeAll(async () => {
  folder = await makeFolder();
  const server = await startNats({ ...folder, command: NATS_COMMAND });
  nats = await connectTo(server.url);
  await ensureStream(await nats.jetstreamManager(), { partitions: 4, replicas: 1, maxBytes: 64 * 1_048_576 });
  connection = new StreamConnection(server.url, createLog("silent"));
  await connection.ready;
});

afterAll(async () => {
  await connection.close();
  await nats.close();
  await folder[Symbol.asyncDispose]();
});

const OWNED = 1;
const NOBODYS = 2;

/** A publisher whose timers fire when the test says so, and the sequences of each message that its dispatcher gets. */
async function publishing({ isContended }: { isContended: boolean }) {
  const owner = crypto.randomUUID();
  const messages: number[][] = [];
  const timers: (() => void)[] = [];
  nats.subscribe(subjectOf(owner), {
    callback: (_, { data }) => messages.push(decodeMessages(data).map(({ sequence }) => sequence)),
  });
  await nats.flush();
  const publisher = new Publisher({
    connection,
    ownerOf: (partition) => (partition === OWNED ? owner : null),
    clock: {
      monotonic: () => 0,
      after: (_, fire) => {
        timers.push(fire);
        return () => {};
      },
    },
    log: createLog("silent"),
    isContended: () => isContended,
  });
  const publish = (...sequences: number[]) => {
    for (const sequence of sequences) {
      const message = { id: newId("wh"), accountId: newId("acc"), endpointId: newId("ep"), sequence };
      for (const partition of [OWNED, NOBODYS]) {
        publisher.publish(partition, { ...message, event: null, revision: 1, data: "{}" });
      }
    }
  };
  const arrived = (count: number) => until(() => messages.length >= count, { what: `message ${count}` });
  return { publisher, publish, messages, timers, arrived };
}

test("what is published in one turn leaves in one message, to nobody but the owner", async () => {
  const { publish, messages, timers, arrived } = await publishing({ isContended: false });
  publish(1, 2);
  await arrived(1);
  publish(3);
  await arrived(2);
  expect(messages).toEqual([[1, 2], [3]]);
  expect(timers).toEqual([]);
});

test("while cores are contended, what is published within some time leaves in one message", async () => {
  const { publish, messages, timers, arrived } = await publishing({ isContended: true });
  publish(1);
  await nats.flush();
  publish(2, 3);
  await nats.flush();
  expect(messages).toEqual([]);
  expect(timers).toHaveLength(1);
  timers.pop()?.();
  await arrived(1);
  expect(messages).toEqual([[1, 2, 3]]);
});

test("drained leaves nothing behind, however long the time has yet to run", async () => {
  const { publisher, publish, messages, timers, arrived } = await publishing({ isContended: true });
  publish(1, 2);
  await publisher.drained();
  await arrived(1);
  timers.pop()?.();
  expect(messages).toEqual([[1, 2]]);
});
