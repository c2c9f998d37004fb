import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isRunning } from "../../src/service/launcher";
import { Cluster } from "../support/faults/cluster";
import { fieldOf } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { until } from "../support/faults/until";
import { freePort } from "../support/free-port";

setDefaultTimeout(120_000);

let cluster: Cluster;
let main: HermodProcess;
let endpoint: string;

beforeAll(async () => {
  const env = { HERMOD_PROCESSES: "2", HERMOD_METRICS_PORT: String(freePort()), HERMOD_NONSENSE: "1" };
  cluster = await Cluster.start({ postgres: "shared", env });
  main = await cluster.launch("main", "all");
  [endpoint = ""] = await cluster.newEndpoints(1);
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** Sends some deliveries, and waits until each has arrived. */
async function deliver(count: number): Promise<void> {
  const before = cluster.book.receipts.length;
  for (let i = 0; i < count; i++) {
    const { status } = await cluster.client.ask("POST", "/webhooks", { endpoint_id: endpoint, data: { i } });
    expect(status).toBe(201);
  }
  await until(() => cluster.book.receipts.length >= before + count, { what: "deliveries" });
}

/** Returns the id of the process that delivers, once it is another one than `former`. */
function dispatcherPid(former = 0): Promise<number> {
  const find = async () => {
    const { body } = await cluster.client.ask("GET", "/admin/system");
    const processes = fieldOf(body, "processes");
    if (!Array.isArray(processes)) throw new Error(`no processes in ${JSON.stringify(body)}`);
    const pids = processes.filter((each) => each.role === "dispatcher").map((each) => Number(each.pid));
    return pids.find((pid) => pid !== former && isRunning(pid)) ?? null;
  };
  return until(find, { what: "a dispatcher process" });
}

test("a process with the API and one that delivers work as one, and log everything once", async () => {
  await deliver(20);
  expect(await dispatcherPid()).not.toBe(main.pid);
  const lines = (await main.logged()).map(({ msg }) => msg);
  expect(lines.filter((msg) => msg.includes("ignored"))).toEqual(["unknown HERMOD_ variables ignored"]);
});

test("a dispatcher that is killed starts again, and its deliveries go on", async () => {
  const killed = await dispatcherPid();
  process.kill(killed, "SIGKILL");
  await deliver(5);
  expect(await dispatcherPid(killed)).not.toBe(killed);
});

test("a dispatcher that stands still delivers what was accepted meanwhile", async () => {
  const pid = await dispatcherPid();
  process.kill(pid, "SIGSTOP");
  const before = cluster.book.receipts.length;
  for (let i = 0; i < 5; i++)
    await cluster.client.ask("POST", "/webhooks", { endpoint_id: endpoint, data: { i } });
  process.kill(pid, "SIGCONT");
  await until(() => cluster.book.receipts.length >= before + 5, { what: "deliveries" });
});

test("a main process that is killed starts again beside the dispatcher that it left, which ends", async () => {
  const left = await dispatcherPid();
  process.kill(left, "SIGSTOP");
  await main.kill();
  const started = main.start();
  const log = () => readFile(join(cluster.folder, "logs", "main-2.log"), "utf8");
  // The dispatcher that was left still has the metrics port.
  await until(async () => (await log()).includes("could not start"), { what: "a start that fails" });
  process.kill(left, "SIGCONT");
  await started;
  await until(() => !isRunning(left), { what: "the dispatcher's end" });
  await deliver(1);
});

test("a SIGTERM to the main process ends both, without a word twice", async () => {
  const pid = await dispatcherPid();
  expect(await main.terminate()).toBe(0);
  expect(isRunning(pid)).toBe(false);
  const log = await readFile(join(cluster.folder, "logs", "main-2.log"), "utf8");
  expect(log.split('"msg":"stopping:')).toHaveLength(2);
});
