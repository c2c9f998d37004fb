import { expect, setDefaultTimeout, test } from "bun:test";
import pino from "pino";
import { startNats } from "../../src/embedded/nats";
import { createLog } from "../../src/runtime/log";
import { StreamConnection } from "../../src/stream/connection";
import { makeFolder } from "../embedded/folder";
import { until } from "../support/faults/until";
import { NATS_COMMAND } from "../support/nats-command";

// Each test has servers of its own, and waits for them: so they run side by side.
setDefaultTimeout(120_000);

/** Longer than several tries to connect. */
const REFUSING_MS = 1_500;

test.concurrent("a server that refuses the credentials for a while is connected to once it accepts them, which is logged once", async () => {
  await using ours = await makeFolder();
  await using others = await makeFolder();
  const command = NATS_COMMAND;
  const server = await startNats({ ...ours, command });
  const port = Number(new URL(server.url).port);
  const connection = new StreamConnection(server.url, createLog("silent"));
  let regained = 0;
  connection.onRegained(() => regained++);
  await connection.ready;
  await server.stop();
  // Each folder has a password of its own.
  const refusing = await startNats({ ...others, command, port });
  const late = new StreamConnection(server.url, createLog("silent"));
  await Bun.sleep(REFUSING_MS);
  expect([connection.live, late.live]).toEqual([null, null]);
  await refusing.stop();
  const again = await startNats({ ...ours, command, port });
  await until(() => connection.live && late.live);
  expect(regained).toBe(1);
  await Promise.all([connection.close(), late.close()]);
  await again.stop();
});

test.concurrent("a NATS that was never reachable is logged, and so is its arrival", async () => {
  await using ours = await makeFolder();
  const server = await startNats({ ...ours, command: NATS_COMMAND });
  await server.stop();
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line).msg) });
  const connection = new StreamConnection(server.url, log);
  await until(() => lines.length > 0, { what: "a word of it" });
  const port = Number(new URL(server.url).port);
  const late = await startNats({ ...ours, command: NATS_COMMAND, port });
  await until(() => lines.length > 1, { what: "a word of its coming" });
  expect(lines).toEqual([
    "NATS is unreachable, or refuses Hermod: deliveries continue from Postgres",
    "NATS is back",
  ]);
  await connection.close();
  await late.stop();
});

test.concurrent.each(["tls:", "TLS:"])(
  "a client that requires TLS by %s sends a server without it nothing",
  async (scheme) => {
    await using folder = await makeFolder();
    const server = await startNats({ ...folder, command: NATS_COMMAND });
    const connection = new StreamConnection(server.url.replace("nats:", scheme), createLog("silent"));
    const plain = new StreamConnection(server.url, createLog("silent"));
    await plain.ready;
    await Bun.sleep(REFUSING_MS);
    expect(connection.live).toBeNull();
    await plain.close();
    await connection.close();
    await server.stop();
  },
);
