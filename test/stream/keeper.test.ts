import { expect, setDefaultTimeout, test } from "bun:test";
import { startNats } from "../../src/embedded/nats";
import { type Clock, systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { StreamConnection } from "../../src/stream/connection";
import { StreamKeeper } from "../../src/stream/keeper";
import { STREAM } from "../../src/stream/topology";
import { connectTo } from "../embedded/clients";
import { makeFolder } from "../embedded/folder";
import { until } from "../support/faults/until";
import { keepingLog } from "../support/keeping-log";
import { NATS_COMMAND } from "../support/nats-command";

setDefaultTimeout(120_000);

test("the stream is created as soon as there is a connection, before the next check", async () => {
  await using folder = await makeFolder();
  const server = await startNats({ ...folder, command: NATS_COMMAND });
  const log = createLog("silent");
  const connection = new StreamConnection(server.url, log);
  const noNextCheck: Clock = { ...systemClock, after: () => () => {} };
  const topology = { partitions: 4, replicas: 1, maxBytes: 8 * 1_048_576 };
  const keeper = new StreamKeeper({ connection, topology, clock: noNextCheck, log });
  keeper.start();
  const nats = await connectTo(server.url);
  const { streams } = await nats.jetstreamManager();
  const isThere = () => streams.info(STREAM).then(({ config }) => config.name === STREAM);
  expect(await until(isThere, { what: "the stream" })).toBe(true);
  await nats.close();
  await connection.close();
  await server.stop();
});

test("a stream that is smaller than wanted is logged once, and a failure not before the fourth in a row", async () => {
  await using folder = await makeFolder();
  const server = await startNats({ ...folder, command: NATS_COMMAND });
  const { lines, log } = keepingLog();
  const connection = new StreamConnection(server.url, log);
  let rounds = 0;
  const soon: Clock = { ...systemClock, after: (_, fire) => systemClock.after(rounds++ < 3 ? 10 : 50, fire) };
  const topology = { partitions: 4, replicas: 1, maxBytes: 2 ** 50 };
  const keeper = new StreamKeeper({ connection, topology, clock: soon, log });
  keeper.start();
  await until(() => rounds > 5, { what: "some checks" });
  const warnings = () => lines.flatMap(({ level, msg }) => (Number(level) >= 40 ? [String(msg)] : []));
  expect(warnings()).toEqual([expect.stringMatching(/^the stream is smaller than HERMOD_STREAM_MAX_BYTES/)]);
  // Another stream has the subjects.
  const nats = await connectTo(server.url);
  const { streams } = await nats.jetstreamManager();
  await streams.delete(STREAM);
  await streams.add({ name: "OTHER", subjects: ["hermod.>"] });
  await until(() => warnings().length > 1, { what: "a warning" });
  expect(warnings()[1]).toMatch(/^could not create or repair the stream/);
  const debug = lines.filter(({ level, msg }) => level === 20 && String(msg).startsWith("could not create"));
  expect(debug.length).toBeLessThanOrEqual(3);
  await nats.close();
  await keeper.stop();
  await connection.close();
  await server.stop();
});
