// Starts an API and a dispatcher, delivers a few webhooks, and writes the functions that ran for each of them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import connect from "postgres";
import { createLog } from "../../src/runtime/log";
import { startService } from "../../src/service/service";
import { CERTIFICATE, KEY } from "../bench/receiver/certificate";
import { until } from "../support/faults/until";
import { testDatabase } from "../support/postgres";
import { stopTestServers } from "../support/servers";
import { ADMIN_KEY, configOn } from "../support/service-config";
import { ran } from "./tracer";

/** Background loops rarely run the same functions beside each of several deliveries, also on a busy machine. */
const DELIVERIES = 6;
/** The end of the path, after the row is written, has this long to run. */
const SETTLE_MS = 200;
/** Within this time most background loops run. */
const IDLE_MS = 3_000;

const folder = await mkdtemp(join(tmpdir(), "hermod-house-"));
const database = await testDatabase();
const sql = connect(database.url, { max: 1 });
const log = createLog("silent");
const env = { HERMOD_ALLOW_PRIVATE_NETWORKS: "all" };
const dispatcher = await startService(await configOn(database, folder, env), "dispatcher", log);
const api = await startService(await configOn(database, folder, env), "api", log);

async function post(path: string, body: object, key: string): Promise<{ id: string; key: string }> {
  const answer = await fetch(`http://127.0.0.1:${api.port}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return JSON.parse(await answer.text());
}

/** Runs what is given, and returns the functions that ran meanwhile. */
async function traced(run: () => Promise<unknown>): Promise<Set<string>> {
  ran.clear();
  await run();
  return new Set(ran);
}

/** Delivers to a new endpoint of a new account at a new receiver, so that each cache is cold. */
async function deliverOnce(): Promise<Set<string>> {
  const tls = { key: KEY, cert: CERTIFICATE };
  await using receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response() });
  const account = await post("/admin/accounts", { name: "house" }, ADMIN_KEY);
  const { key } = await post(`/admin/accounts/${account.id}/keys`, {}, ADMIN_KEY);
  const endpoint = await post("/endpoints", { url: `https://127.0.0.1:${receiver.port}/` }, key);
  // Awaited here, since the receiver stops when this returns.
  return await traced(async () => {
    await post("/webhooks", { endpoint_id: endpoint.id, event: "a.b", data: { a: 1 } }, key);
    await until(isRecorded, { what: "the record of the delivery" });
    await Bun.sleep(SETTLE_MS);
  });
}

/** True once nothing waits. Asks over a connection of its own, since the service's would be traced. */
async function isRecorded(): Promise<boolean> {
  return (await sql`select from queue limit 1`).length === 0;
}

const idle = await traced(() => Bun.sleep(IDLE_MS));
const runs: Set<string>[] = [];
for (let n = 0; n < DELIVERIES; n++) runs.push(await deliverOnce());
const inAll = runs.reduce((all, each) => all.intersection(each));
await Bun.write(Bun.stdout, JSON.stringify({ delivery: [...inAll], idle: [...idle] }));
await api.stop();
await dispatcher.stop();
await sql.end();
await database.drop();
await rm(folder, { recursive: true });
await stopTestServers();
