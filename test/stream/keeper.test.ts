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
