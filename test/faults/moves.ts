// Moves an account back and forth between two cells under load, kills movers, cells and their Postgres on the way, and reports
// whether anything was lost, repeated without a crash, or out of order:
//   bun run faults:moves [--seed n] [--moves n]
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { AccountId } from "../../src/domain/ids";
import { endWithParent } from "../../src/embedded/child-process";
import { startNats } from "../../src/embedded/nats";
import { Client, type Json } from "../http/client";
import { Journal } from "../support/faults/journal";
import { patientRequests } from "../support/faults/patient-requests";
import { PostgresServer } from "../support/faults/postgres-server";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";
import { freePort } from "../support/free-port";
import { NATS_COMMAND } from "../support/nats-command";
import { serverFolder } from "../support/server-folder";

const NAMES = ["eu-1", "us-1"] as const;
type CellName = (typeof NAMES)[number];
const MAIN = join(import.meta.dir, "../../src/main.ts");
const ADMIN_KEY = "an-admin-key-of-two-cells";
const ENCRYPTION_KEY = Buffer.alloc(32, "a key of both cells").toString("base64");
/** Time for a step that only a broken move exceeds. */
const PATIENCE = { withinMs: 300_000, pollMs: 50 };
/** The pace of sends, of their reader, of faults and of the supervisor that starts what has died, ms. */
const SENDS_APART_MS = 15;
const READS_APART_MS = 50;
const FAULTS_APART_MS = [2_000, 6_000] as const;
const LONGEST_OUTAGE_MS = 1_000;
const STARTS_APART_MS = 500;
/** Sends behind the last move, which show that its cell works on. */
const SENDS_AFTERWARDS = 100;
const SETTINGS = { wal_level: "logical" };

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, moves: { type: "string", default: "6" } },
});
const random = new Random(Number(values.seed));
const note = (line: string) =>
  void process.stderr.write(`${(performance.now() / 1_000).toFixed(1)} s  ${line}\n`);
const flaws: string[] = [];

const folder = await serverFolder();
const journal = new Journal();
const directory = await startNats({ dataDir: join(folder, "directory"), command: NATS_COMMAND });
const ports = { "eu-1": freePort(), "us-1": freePort(), router: freePort() };
const postgres = { "eu-1": await newPostgres("eu-1"), "us-1": await newPostgres("us-1") };

async function newPostgres(name: CellName): Promise<PostgresServer> {
  const server = await PostgresServer.start(join(folder, `postgres-${name}`), journal, SETTINGS);
  await server.allowMoves();
  return server;
}

const SHARED = {
  HERMOD_CELLS: NAMES.map((name) => `${name}=http://127.0.0.1:${ports[name]}`).join(","),
  HERMOD_CELLS_NATS_URL: directory.url,
  HERMOD_ADMIN_KEY: ADMIN_KEY,
  HERMOD_ENCRYPTION_KEY: ENCRYPTION_KEY,
  HERMOD_LEASE_TTL: "1s",
  HERMOD_ATTEMPT_TIMEOUT: "1s",
  HERMOD_RETRY_SCHEDULE: "100ms,200ms,500ms,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s",
  HERMOD_LOG_LEVEL: "error",
};

function start(args: readonly string[], env: Record<string, string>): Bun.Subprocess {
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    env: { PATH: process.env.PATH ?? "", ...SHARED, ...env },
    stdout: "ignore",
    stderr: "inherit",
  });
  endWithParent(child.pid);
  return child;
}

const startCell = (name: CellName) =>
  start([], {
    HERMOD_CELL: name,
    PORT: String(ports[name]),
    DATABASE_URL: postgres[name].url,
    HERMOD_DATA_DIR: join(folder, name),
    HERMOD_PROCESSES: "2",
  });
const isReady = async (port: number) => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok;
const cells = { "eu-1": startCell("eu-1"), "us-1": startCell("us-1") };
const router = start(["router"], { PORT: String(ports.router), HERMOD_DATA_DIR: join(folder, "router") });
for (const port of Object.values(ports)) await until(() => isReady(port), PATIENCE);
note("two cells and a router are ready");

/** Checks the order of an ordered endpoint's requests as they come: each is the next one, or the last one again. */
let [last, repeats] = [0, 0];
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const sequence = Number(request.headers.get("webhook-sequence"));
    if (sequence === last) repeats++;
    else if (sequence !== last + 1) flaws.push(`sequence ${sequence} came after ${last}`);
    last = Math.max(last, sequence);
    return new Response();
  },
});

const url = `http://127.0.0.1:${ports.router}`;
const patiently = patientRequests(flaws, PATIENCE);

const admin = new Client(url, "" as AccountId, ADMIN_KEY);
const shop = { name: "shop", external_id: "shop" };
const account = await until(async () => {
  const { status, body } = await admin.post("/admin/accounts", shop, { "hermod-cell": "eu-1" });
  return status === 201 && body;
}, PATIENCE);
const { key } = await patiently(admin, "POST", "/admin/accounts/~shop/keys", {});
const client = new Client(url, account.id, key);
const endpoint = await patiently(client, "POST", "/endpoints", { url: receiver.url.href });

let [isOver, isSent] = [false, false];
/** The ids of the deliveries, by the key of their sends. */
const sent = new Map<string, string>();
async function load(): Promise<void> {
  while (!isOver) {
    const key = crypto.randomUUID();
    const body = { endpoint_id: endpoint.id, event: "a.b", data: { key } };
    const { id } = await patiently(client, "POST", "/webhooks", body, key);
    sent.set(key, id);
    await Bun.sleep(SENDS_APART_MS);
  }
}

async function follow(): Promise<string[]> {
  const seen: string[] = [];
  for (let iterator = "start"; ; await Bun.sleep(READS_APART_MS)) {
    const isLast = isSent;
    const page = await patiently(client, "GET", `/webhooks?iterator=${iterator}&limit=100`);
    seen.push(...page.data.map(({ id }: Json) => id));
    iterator = page.iterator;
    if (isLast && page.cursor === null) return seen;
  }
}

/** Starts a cell again that has ended, as a supervisor does: it finds no Postgres that has just been killed. */
async function isBack(name: CellName): Promise<boolean> {
  if (cells[name].exitCode !== null || cells[name].signalCode !== null) cells[name] = startCell(name);
  return isReady(ports[name]);
}

/** Kills cells and their Postgres, one after the other, and starts them again. */
async function breakThings(isMoving: () => boolean): Promise<void> {
  while (isMoving()) {
    await Bun.sleep(random.between(...FAULTS_APART_MS));
    const name = random.pick(NAMES);
    if (random.next() < 0.5) {
      note(`SIGKILL of Postgres of ${name}`);
      const restart = await postgres[name].kill();
      await Bun.sleep(random.between(0, LONGEST_OUTAGE_MS));
      await restart();
    } else {
      note(`SIGKILL of the cell ${name}`);
      cells[name].kill("SIGKILL");
      await cells[name].exited;
      cells[name] = startCell(name);
    }
    await until(() => isBack(name), PATIENCE).catch(() => flaws.push(`${name} did not come back`));
  }
}

/** Moves the account. Movers are killed at any moment, and started again. */
async function move(from: CellName, to: CellName): Promise<number> {
  for (let starts = 1; ; starts++) {
    const addresses = { DATABASE_URL: postgres[from].url, HERMOD_MOVE_TO: postgres[to].url };
    const mover = start(["move", account.id], { ...addresses, HERMOD_DATA_DIR: folder });
    const isKilled = starts % 3 !== 0;
    const timer = isKilled
      ? setTimeout(() => mover.kill("SIGKILL"), random.between(1_000, 14_000))
      : undefined;
    const code = await mover.exited;
    clearTimeout(timer);
    if (code === 0) return starts;
    await Bun.sleep(STARTS_APART_MS);
  }
}

const [running, following] = [load(), follow()];
let isMoving = true;
const breaking = breakThings(() => isMoving);
for (let i = 0; i < Number(values.moves); i++) {
  const [from, to] = i % 2 === 0 ? (["eu-1", "us-1"] as const) : (["us-1", "eu-1"] as const);
  const starts = await move(from, to);
  note(`moved from ${from} to ${to}, with ${starts} starts of the command`);
}
isMoving = false;
await breaking;
const enough = sent.size + SENDS_AFTERWARDS;
await until(() => sent.size >= enough, PATIENCE);
isOver = true;
await running;
isSent = true;
const seen = await following;
await until(() => last >= sent.size, PATIENCE).catch(() =>
  flaws.push(`${last} of ${sent.size} deliveries arrived`),
);
if (last !== sent.size) flaws.push(`the last sequence is ${last} for ${sent.size} sends`);
if (new Set(seen).size !== seen.length) flaws.push("an iterator returned a delivery twice");
const missed = [...sent.values()].flatMap((id, i) => (seen.includes(id) ? [] : [i + 1]));
if (missed.length > 0 || seen.length !== sent.size)
  flaws.push(`iterators returned ${seen.length} of ${sent.size}, and missed the sequences ${missed}`);
for (const [key, id] of [...sent].slice(0, 20)) {
  const again = await patiently(
    client,
    "POST",
    "/webhooks",
    { endpoint_id: endpoint.id, event: "a.b", data: { key } },
    key,
  );
  if (again.id !== id) flaws.push(`the key ${key} made a second delivery`);
}
const stats = await until(async () => {
  const read = await patiently(client, "GET", "/stats");
  return read.pending === 0 && read;
}, PATIENCE);
if (stats.delivered !== sent.size) flaws.push(`the figures count ${stats.delivered} of ${sent.size}`);

for (const child of [...Object.values(cells), router]) child.kill("SIGTERM");
await Promise.all([...Object.values(cells), router].map((child) => child.exited));
await Promise.all(Object.values(postgres).map((server) => server.close()));
await directory.stop();
await receiver.stop(true);
await rm(folder, { recursive: true, force: true });
note(`${sent.size} sends, ${repeats} repeats, ${journal.faults.length} faults of Postgres`);
for (const flaw of flaws.slice(0, 20)) note(`BROKEN  ${flaw}`);
note(
  flaws.length === 0
    ? "every promise was kept"
    : `${flaws.length} violations; again with --seed ${values.seed}`,
);
process.exit(flaws.length === 0 ? 0 : 1);
