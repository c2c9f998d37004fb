import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { JetStreamManager, NatsConnection } from "nats";
import { newId } from "../../src/domain/ids";
import { startNats } from "../../src/embedded/nats";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { StreamConnection } from "../../src/stream/connection";
import type { Hint } from "../../src/stream/hint";
import { Publisher } from "../../src/stream/publisher";
import { StreamPurge } from "../../src/stream/purge";
import { ensureStream, KEPT_MS, STREAM, subjectOf } from "../../src/stream/topology";
import { connectTo } from "../embedded/clients";
import { type Folder, makeFolder } from "../embedded/folder";
import { until } from "../support/faults/until";
import { NATS_COMMAND } from "../support/nats-command";
import { streamSigner } from "../support/signers";

setDefaultTimeout(120_000);

let folder: Folder;
let nats: NatsConnection;
let manager: JetStreamManager;
let connection: StreamConnection;

beforeAll(async () => {
  folder = await makeFolder();
  const server = await startNats({ ...folder, command: NATS_COMMAND });
  nats = await connectTo(server.url);
  manager = await nats.jetstreamManager();
  await ensureStream(manager, { partitions: 4, replicas: 1, maxBytes: 64 * 1_048_576 });
  connection = new StreamConnection(server.url, createLog("silent"));
  await connection.ready;
});

afterAll(async () => {
  await connection.close();
  await nats.close();
  await folder[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await manager.streams.purge(STREAM);
});

/** A purge whose time and timers are the test's. */
function purging(ageMs = 0) {
  const timers: { ms: number; fire(): void }[] = [];
  const clock = {
    now: () => Date.now() + ageMs,
    monotonic: () => 0,
    after: (ms: number, fire: () => void) => {
      timers.push({ ms, fire });
      return () => {};
    },
  };
  const purge = new StreamPurge({ connection, clock, log: createLog("silent") });
  return { purge, timers };
}

const publish = () => nats.jetstream().publish(subjectOf(0), "a payload");
const stored = async () => (await manager.streams.info(STREAM)).state.messages;

test("erased payloads leave the stream within a second, and later ones soon after with one more purge", async () => {
  const { purge, timers } = purging();
  await publish();
  purge.schedule([{ id: newId("wh") }]);
  expect(timers[0]?.ms).toBe(1_000);
  timers[0]?.fire();
  await purge.drained();
  expect(await stored()).toBe(0);
  for (let i = 0; i < 3; i++) purge.schedule([{ id: newId("wh") }]);
  expect(timers.slice(1).map(({ ms }) => ms)).toEqual([5_000]);
});

test("a payload erased while it is gathered for its message leaves the stream too", async () => {
  const log = createLog("silent");
  const publisher = new Publisher({
    connection,
    signer: streamSigner(),
    clock: systemClock,
    log,
  });
  const purge = new StreamPurge({ connection, clock: systemClock, log });
  const { state: before } = await manager.streams.info(STREAM);
  const id = newId("wh");
  const message: Hint = {
    id,
    accountId: newId("acc"),
    endpointId: newId("ep"),
    partition: 0,
    sequence: 1,
    event: null,
    orderingKey: null,
    eventExternalId: null,
    revision: 1,
    data: "{}",
  };
  publisher.publish(message, true);
  purge.schedule([{ id }]);
  const hasComeAndGone = async () => {
    const { last_seq, messages } = (await manager.streams.info(STREAM)).state;
    return last_seq > before.last_seq && messages === 0;
  };
  await until(hasComeAndGone, { what: "the message has come and gone" });
});

test("drained waits for no time: erased payloads have left", async () => {
  const { purge } = purging();
  await publish();
  purge.schedule([{ id: newId("wh") }]);
  await purge.drained();
  expect(await stored()).toBe(0);
});

test("erasing a delivery older than the stream purges nothing", () => {
  const { purge, timers } = purging(KEPT_MS + 120_000);
  purge.schedule([{ id: newId("wh") }]);
  expect(timers).toEqual([]);
});
