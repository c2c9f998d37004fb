import { expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { findServers, runningProcesses } from "../../src/embedded/leftover";
import { startNats } from "../../src/embedded/nats";
import { startPostgres } from "../../src/embedded/postgres";
import { until } from "../support/faults/until";
import { withSql } from "./clients";
import { makeFolder, natsMark, postgresMark } from "./folder";
import { type Report, runService } from "./service-process";

setDefaultTimeout(120_000);

/** Ends the watchers that would stop the servers after their service. */
async function cutLifelines({ postgres, nats }: Report): Promise<void> {
  const names = [postgres, nats].map((server) => `hermod-lifeline ${server?.pid}`);
  const watchers = async () =>
    (await runningProcesses()).filter(({ command }) => names.some((name) => command.endsWith(name)));
  // Each is a process of its own, which may not have begun yet.
  await until(async () => (await watchers()).length === names.length);
  for (const { pid } of await watchers()) process.kill(pid, "SIGKILL");
}

async function serversOn(dataDir: string): Promise<number[]> {
  return [...(await findServers(postgresMark(dataDir))), ...(await findServers(natsMark(dataDir)))];
}

test("a start stops the servers that a killed service left running, and takes over their data", async () => {
  await using folder = await makeFolder();
  const service = runService(folder.dataDir, ["postgres", "nats"]);
  const report = await service.started;
  const left = [report.postgres?.pid ?? 0, report.nats?.pid ?? 0];
  await withSql(report.postgres?.url ?? "", (sql) => sql`create table kept ()`);
  await cutLifelines(report);
  await service.end("SIGKILL");
  expect(await serversOn(folder.dataDir)).toEqual(left);

  const lines: string[] = [];
  const options = { dataDir: folder.dataDir, log: (line: string) => lines.push(line) };
  const [postgres, nats] = await Promise.all([startPostgres(options), startNats(options)]);
  expect(lines.join("\n")).toContain(`stopping postgres, left by an earlier run: pid ${left[0]}`);
  expect(lines.join("\n")).toContain(`stopping nats-server, left by an earlier run: pid ${left[1]}`);
  expect([postgres.url, nats.url]).toEqual([report.postgres?.url ?? "", report.nats?.url ?? ""]);
  await withSql(postgres.url, (sql) => sql`select from kept`);
  await Promise.all([postgres.stop(), nats.stop()]);
});

test("the servers of a killed service end by themselves", async () => {
  await using folder = await makeFolder();
  const service = runService(folder.dataDir, ["nats"]);
  await service.started;
  await service.end("SIGKILL");
  await until(async () => (await serversOn(folder.dataDir)).length === 0);
});

test("a start works after a SIGKILL while the cluster was being created", async () => {
  await using folder = await makeFolder();
  const service = runService(folder.dataDir, ["postgres"]);
  service.started.catch(() => {});
  const names = () => readdir(folder.dataDir).catch((): string[] => []);
  await until(async () => (await names()).some((name) => name.startsWith("postgres.new-")));
  await service.end("SIGKILL");
  expect(await names()).not.toContain("postgres");

  const postgres = await startPostgres(folder);
  await withSql(postgres.url, (sql) => sql`select 1`);
  await postgres.stop();
  expect((await names()).filter((name) => name.startsWith("postgres.new-"))).toEqual([]);
});

test("a Ctrl-C leaves the servers up until the service has drained", async () => {
  await using folder = await makeFolder();
  const service = runService(folder.dataDir, ["postgres", "nats"]);
  await service.started;
  expect(await service.end("SIGINT")).toEqual({ code: 0, output: "drained" });
  expect(await serversOn(folder.dataDir)).toEqual([]);
});
