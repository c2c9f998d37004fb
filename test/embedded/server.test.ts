import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runningProcesses } from "../../src/embedded/leftover";
import { launch, type Program, type ServerReadiness } from "../../src/embedded/server";
import { until } from "../support/faults/until";
import { makeFolder } from "./folder";

/** A server that does nothing; the number distinguishes it from all others. */
function program(
  folder: string,
  seconds: number,
  probe: () => ServerReadiness,
  patienceMs?: number,
): Program {
  return {
    name: "Sleep",
    command: "sleep",
    args: [String(seconds)],
    cwd: folder,
    env: { PATH: process.env.PATH ?? "" },
    logFile: join(folder, "log"),
    url: "sleep://here",
    instead: "Or stay awake.",
    probe: async () => probe(),
    patienceMs,
  };
}

async function isRunning(seconds: number): Promise<boolean> {
  return (await runningProcesses()).some(({ command }) => command === `sleep ${seconds}`);
}

test("a recovering server is waited for, however long it takes; one without a sign of life is not", async () => {
  await using folder = await makeFolder();
  const begin = performance.now();
  const isReady = () => performance.now() - begin > 500;
  const probe = () => (isReady() ? "ready" : "recovering");
  const server = await launch(program(folder.path, 86_411, probe, 50));
  await server.stop();
  // Nobody is left who would end whatever process has its pid later.
  const isWatched = async () =>
    (await runningProcesses()).some(({ command }) => command.endsWith(`hermod-lifeline ${server.pid}`));
  await until(async () => !(await isWatched()));
  const silent = program(folder.path, 86_412, () => "away", 50);
  await expect(launch(silent)).rejects.toThrow("not ready after 0.05 s");
  expect(await isRunning(86_412)).toBe(false);
});

test("an aborted start leaves nothing running, whatever its server is doing", async () => {
  await using folder = await makeFolder();
  const breakOff = new AbortController();
  const { signal } = breakOff;
  const isProbed = Promise.withResolvers<void>();
  const probe = () => {
    isProbed.resolve();
    return new Promise<ServerReadiness>(() => {});
  };
  const launched = launch({ ...program(folder.path, 86_413, () => "away"), probe, signal });
  await isProbed.promise;
  breakOff.abort();
  await expect(launched).rejects.toThrow("the start was aborted");
  expect(await isRunning(86_413)).toBe(false);
});

test("a server that ignores its shutdown is killed within the time limit", async () => {
  await using folder = await makeFolder();
  const deaf = ["-c", "trap '' INT; echo deaf; while :; do sleep 0.1; done"];
  const probe = async () => ((await readFile(join(folder.path, "log"), "utf8")) ? "ready" : "away");
  const server = await launch({ ...program(folder.path, 0, () => "away"), command: "sh", args: deaf, probe });
  const begin = performance.now();
  await server.stop(50);
  expect(performance.now() - begin).toBeLessThan(5_000);
  expect(await server.exited).toEqual({ code: null, signal: "SIGKILL" });
});
