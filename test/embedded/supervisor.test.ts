import { expect, setDefaultTimeout, test } from "bun:test";
import { findServers } from "../../src/embedded/leftover";
import { startNats } from "../../src/embedded/nats";
import type { EmbeddedServer } from "../../src/embedded/server";
import { Supervisor } from "../../src/embedded/supervisor";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { ManualClock } from "../attempt/manual-clock";
import { until } from "../support/faults/until";
import { withNats } from "./clients";
import { makeFolder, natsMark } from "./folder";

setDefaultTimeout(120_000);

const base = { name: "NATS", clock: systemClock, log: createLog("silent") };

test("a server that ends is started again on the same address, however often that fails first", async () => {
  await using folder = await makeFolder();
  const server = await startNats(folder);
  let tries = 0;
  const start = async ({ url }: EmbeddedServer) => {
    if (++tries < 3) throw new Error("no space left on device");
    return startNats({ ...folder, port: Number(new URL(url).port) });
  };
  const supervisor = new Supervisor(server, { ...base, start });
  await server.kill();
  await until(() => withNats(server.url, async (nats) => nats.info !== undefined), { what: "the server" });
  expect(tries).toBe(3);
  await supervisor.stop();
  expect(await findServers(natsMark(folder.dataDir))).toEqual([]);
});

test("a stopped server stays stopped, even if it was just being restarted", async () => {
  await using folder = await makeFolder();
  const server = await startNats(folder);
  const starting = Promise.withResolvers<void>();
  const start = async () => {
    starting.resolve();
    return startNats(folder);
  };
  const supervisor = new Supervisor(server, { ...base, start });
  await server.kill();
  await starting.promise;
  await supervisor.stop();
  expect(await findServers(natsMark(folder.dataDir))).toEqual([]);
});

test("a stop aborts a start instead of waiting for it", async () => {
  await using folder = await makeFolder();
  const server = await startNats(folder);
  const starting = Promise.withResolvers<void>();
  // For example a server that recovers for hours.
  const start = (_: EmbeddedServer, signal: AbortSignal) => {
    starting.resolve();
    return new Promise<EmbeddedServer>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
  const supervisor = new Supervisor(server, { ...base, start });
  await server.kill();
  await starting.promise;
  await supervisor.stop();
});

test("the wait before a start doubles up to 5 s while starts fail, and is short again after 10 s without a failure", async () => {
  const clock = new ManualClock();
  const ends: (() => void)[] = [];
  const fake = (): EmbeddedServer => {
    const { promise: exited, resolve } = Promise.withResolvers<Awaited<EmbeddedServer["exited"]>>();
    const end = async () => resolve({ code: 1, signal: null });
    ends.push(end);
    return { url: "nats://127.0.0.1:4222", pid: 0, exited, stop: end, kill: end };
  };
  let isFailing = true;
  const starts: number[] = [];
  const start = async () => {
    starts.push(clock.monotonic());
    if (isFailing) throw new Error("no space left on device");
    return fake();
  };
  const supervisor = new Supervisor(fake(), { ...base, clock, start });
  const fail = async () => {
    ends.pop()?.();
    await Bun.sleep(0);
    return clock.monotonic();
  };
  const begin = await fail();
  await clock.pass(20_000);
  expect(starts.map((at) => at - begin)).toEqual([250, 750, 1_750, 3_750, 7_750, 12_750, 17_750]);
  isFailing = false;
  await clock.pass(2_750);
  for (const ranMs of [9_999, 10_000]) {
    await clock.pass(ranMs);
    const end = await fail();
    starts.length = 0;
    await clock.pass(5_000);
    expect(starts.map((at) => at - end)).toEqual([ranMs < 10_000 ? 5_000 : 250]);
  }
  await supervisor.stop();
});
