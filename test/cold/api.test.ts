import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventParser } from "../../src/client/live-events";
import { type ColdStore, openStore } from "../../src/cold/store";
import { Thawing } from "../../src/cold/thawing";
import { overFiles, resendOverFiles } from "../../src/jobs/over-files";
import { Freezing } from "../../src/retention/freezing";
import { Retention } from "../../src/retention/retention";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import { transferData } from "../../src/transfer/transfer";
import { parseEncryptionKeys } from "../../src/vault/encryption-key";
import { type Client, expectError, type Json } from "../http/client";
import { startTestService, useService } from "../http/service";
import { deliverPending, realSteps, startRunner } from "../jobs/stage";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { useDatabase } from "../support/postgres";
import { age, DAY, makePastRanges } from "./aged";

const folder = await mkdtemp(join(tmpdir(), "hermod-cold-api-"));
atEnd(() => rm(folder, { recursive: true }));
const store = openStore(folder);
const hot = await useService();
const { database } = hot;
const cold = await useService({ beside: hot, cold: { address: folder, access: {}, afterMs: 2 * DAY } });
const empty = await useDatabase();
const log = createLog("silent");

function freeze(into = store): Promise<void> {
  const { db } = database;
  const freezing = new Freezing({
    db,
    store: into,
    log,
    afterMs: 2 * DAY,
    limits: { items: 40, bytes: 100_000 },
  });
  return new Retention({ db, clock: systemClock, log, retentionMs: 30 * DAY, freezing }).maintain();
}

async function countFiles(): Promise<number> {
  const [row] = await database.db.run(
    (sql) => sql<{ n: number }[]>`select count(*) as n from cold_blocks where state = 'live'`,
  );
  return Number(row?.n);
}

/** Counts the sessions that wait for an advisory lock. */
async function countWaiting(): Promise<number> {
  const [row] = await database.db.run(
    (sql) => sql<{ n: number }[]>`
      select count(*)::integer as n from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory' and not l.granted
    `,
  );
  return row?.n ?? 0;
}

/** Checks that no file has a text. */
async function refuseInFiles(text: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith(".zst")) continue;
    const content = await Bun.zstdDecompress(await Bun.file(join(folder, name)).bytes());
    expect(content.toString()).not.toContain(text);
  }
}

/** Follows the cursors of a list to its end. */
async function listed(client: Client, path: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let cursor = ""; ; ) {
    const page = await client.expecting(200, client.get(`${path}${cursor}`));
    all.push(...page.data);
    if (page.cursor === null) return all;
    cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
  }
}

async function untilEnded(client: Client, job: string): Promise<Json> {
  let { body } = await client.get(`/jobs/${job}`);
  await until(async () => {
    ({ body } = await client.get(`/jobs/${job}`));
    return body.status !== "running";
  });
  return body;
}

/** Reads all deliveries behind an iterator. */
async function followed(client: Client, from: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let iterator = from; ; ) {
    const path = `/webhooks?limit=5&iterator=${encodeURIComponent(iterator)}`;
    const page = await client.expecting(200, client.get(path));
    all.push(...page.data);
    if (page.cursor === null) return all;
    iterator = page.iterator;
  }
}

/** Reads the log of an endpoint to its end. */
async function logOf(client: Client, endpoint: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let from = 1; ; ) {
    const page = await client.expecting(200, client.get(`/endpoints/${endpoint}/log?from=${from}`));
    all.push(...page.data);
    if (page.next_from > page.complete_up_to) return all;
    from = page.next_from;
  }
}

let secrets = 0;
const TYPES = ["order.created", "order.paid", "user.created"];

describe("An account whose old deliveries are in files", () => {
  let client: Client;
  let endpoint: string;
  /** Has deliveries that wait for an endpoint, from the same time as those in files. */
  let other: Client;
  const waiting: string[] = [];
  const webhooks: string[] = [];
  const events: string[] = [];
  /** The answers of each request while everything was in Postgres. */
  const before = new Map<string, Json>();
  /** An iterator from when the old deliveries were the newest ones. */
  let early = "";

  /** Makes webhooks and events, some of them resent, which end with a status. */
  async function makeSome(status: "delivered" | "failed"): Promise<void> {
    for (const [i, type] of TYPES.entries()) {
      webhooks.push((await client.send(endpoint, type, { n: i, status })).id);
      const event = await client.expecting(
        201,
        client.post("/events", { event: type, data: { n: i, secret: `secret ${++secrets}.` } }),
      );
      events.push(event.id);
    }
    await deliverPending(hot, client, status);
    const [newest] = (await client.expecting(200, client.get("/webhooks?limit=1"))).data;
    webhooks.push((await client.expecting(201, client.post(`/webhooks/${newest.id}/resend`))).id);
    await deliverPending(hot, client, status);
  }

  function questions(): string[] {
    return [
      "/webhooks?page=1&per_page=5",
      "/webhooks?page=3&per_page=4",
      "/webhooks?status=failed&per_page=3",
      "/webhooks?event=order.paid&page=2&per_page=2",
      "/webhooks?status=failed&event=order.paid",
      "/webhooks/summary?",
      "/stats",
      ...webhooks.map((id) => `/webhooks/${id}`),
      ...events.map((id) => `/events/${id}`),
    ];
  }

  const LISTS = [
    "/webhooks?limit=4",
    "/webhooks?limit=100&status=failed",
    "/webhooks?limit=3&event_type=order.paid",
    "/webhooks?limit=100&data.n=1",
    "/events?limit=2",
    "/events?limit=5&event_type=user.created",
  ];
  const OF_ALL_ACCOUNTS = ["/admin/deliveries?limit=4", "/admin/events?limit=3"];

  async function answers(of: { client: Client; admin: Client }): Promise<Map<string, Json>> {
    const all = new Map<string, Json>();
    for (const path of questions()) all.set(path, (await of.client.get(path)).body);
    const ofEvents = events
      .slice(-5)
      .flatMap((id) => [`/events/${id}/deliveries?limit=1`, `/events/${id}/missed?limit=1`]);
    for (const path of [...LISTS, ...ofEvents]) all.set(path, await listed(of.client, path));
    for (const from of ["start", early]) all.set(`iterator ${from}`, await followed(of.client, from));
    all.set("log", await logOf(of.client, endpoint));
    for (const path of OF_ALL_ACCOUNTS) all.set(path, await listed(of.admin, path));
    return all;
  }

  beforeAll(async () => {
    await makePastRanges(database, 6);
    client = await hot.newClient();
    ({ id: endpoint } = await client.newEndpoint());
    await client.newEndpoint({ event_types: ["order.*"] });
    other = await hot.newClient();
    const { id: resting } = await other.newEndpoint({ is_active: false });
    waiting.push((await other.send(resting, "order.paid", { n: "waits" })).id);
    await other.expecting(201, other.post("/events", { event: "order.paid", data: {} }));
    await makeSome("failed");
    early = (await client.expecting(200, client.get("/webhooks?iterator=start&limit=3"))).iterator;
    await age(database, 5);
    webhooks.length = 0;
    events.length = 0;
    await makeSome("delivered");
    await age(database, 3);
    webhooks.length = 0;
    events.length = 0;
    for (const { id } of await listed(client, "/webhooks?limit=100")) webhooks.push(id);
    for (const { id } of await listed(client, "/events?limit=100")) events.push(id);
    await makeSome("delivered");
    for (const [path, answer] of await answers({ client, admin: hot.admin })) before.set(path, answer);
    await freeze();
    expect(await countFiles()).toBeGreaterThan(1);
    client = client.at(cold.url);
  });

  test("gets the answers that it got before", async () => {
    const admin = hot.admin.at(cold.url);
    for (const [path, answer] of await answers({ client, admin }))
      expect({ path, answer }).toEqual({ path, answer: before.get(path) });
  });

  test("is sent its deliveries from the first one on by a stream", async () => {
    const closing = new AbortController();
    const headers = { authorization: `Bearer ${client.key}` };
    const all = before.get("iterator start").map(({ id }: Json) => id);
    const response = await fetch(`${cold.url}/v1/webhooks/tail?iterator=start`, {
      headers,
      signal: closing.signal,
    });
    const [parser, decoder, ids] = [new EventParser(), new TextDecoder(), [] as string[]];
    for await (const bytes of response.body ?? []) {
      const sent = parser.push(decoder.decode(bytes)).filter(({ name }) => name === "delivery");
      ids.push(...sent.map(({ data }) => JSON.parse(data).id));
      if (ids.length >= all.length) break;
    }
    closing.abort();
    expect(ids).toEqual(all);
  });

  test("is told how many files an answer has read", async () => {
    const timing = async (path: string) => (await client.get(path)).headers.get("server-timing");
    expect(await timing(`/webhooks/${webhooks.at(-5)}`)).toMatch(/^files;desc="1";dur=\d+$/);
    expect(await timing("/webhooks?iterator=start")).toMatch(/^files;desc="[2-4]";dur=\d+$/);
    expect(await timing("/webhooks?limit=1")).toBeNull();
  });

  test("leaves another account's pending deliveries where they can be sent", async () => {
    const rows = await database.db.run(
      (sql) => sql<{ n: number }[]>`
        select count(*)::integer as n from queue q join deliveries d on d.account_id = q.account_id and d.id = q.delivery_id
        where q.account_id = ${other.accountId}
      `,
    );
    expect(rows[0]?.n).toBe(2);
  });

  test("tests a filter on old events as well", async () => {
    const { data } = await client.expecting(
      200,
      client.post(`/endpoints/${endpoint}/filter/test`, { filter: null }),
    );
    expect(new Set(data.map(({ id }: Json) => id)).size).toBeGreaterThan(TYPES.length * 4);
  });

  test("resends a delivery from a file, and many", async () => {
    const [old = ""] = webhooks.slice(-5);
    const resent = await client.expecting(201, client.post(`/webhooks/${old}/resend`));
    expect((await client.expecting(200, client.get(`/webhooks/${resent.id}`))).data).toEqual(
      before.get(`/webhooks/${old}`).data,
    );
    const filter = { status: "failed", before: new Date(Date.now() - 4 * DAY).toISOString() };
    const dry = await client.expecting(200, client.post("/webhooks/resend", { filter, dry_run: true }));
    expect(dry.total).toBeGreaterThan(TYPES.length);
    const runner = startRunner(hot, { resend: resendOverFiles(new Thawing(store), realSteps.resend) });
    const { id } = await client.expecting(202, client.post("/webhooks/resend", { filter }));
    const job = await untilEnded(client, id);
    await runner.stop();
    expect({ status: job.status, ...job.progress }).toMatchObject({ status: "completed", done: dry.total });
    await freeze();
  });

  test("replays its history, and nothing else", async () => {
    await deliverPending(hot, client);
    const failed = [...before].filter(
      ([, each]) => each?.status === "failed" && each.endpoint_id === endpoint,
    );
    const originals = new Set(failed.filter(([, each]) => !each.replay_of).map(([, { id }]) => id));
    const job = await client.expecting(
      202,
      client.post(`/endpoints/${endpoint}/replay`, { status: "failed", after: new Date(0).toISOString() }),
    );
    expect(job.progress.total).toBeNull();
    const thawing = new Thawing(store);
    const runner = startRunner(hot, { replay: overFiles(thawing, realSteps.replay) });
    const { status, progress } = await untilEnded(client, job.id);
    await runner.stop();
    expect({ status, done: progress.done }).toEqual({ status: "completed", done: originals.size });
    await deliverPending(hot, client);
    await freeze();
  });

  test("erases a payload from the files", async () => {
    const [event = ""] = events.slice(-5);
    await client.expecting(200, client.delete(`/events/${event}/payload`));
    await freeze();
    await refuseInFiles(before.get(`/events/${event}`).data.secret);
    const { data, erased_at } = (await client.get(`/events/${event}`)).body;
    expect({ data, erased: erased_at !== null }).toEqual({ data: null, erased: true });
  });

  test("erases a payload that is being written to a file", async () => {
    const { id } = await client.send(endpoint, "order.paid", { text: "written before it is erased" });
    await deliverPending(hot, client);
    await age(database, 4);
    const [{ id: old }] = (
      await client.expecting(200, client.get("/webhooks?data.text=written before it is erased"))
    ).data;
    expect(old).not.toBe(id);
    let erased: Promise<unknown> = Promise.resolve();
    // The request comes while the file of the payload is written, and waits for it.
    const slow: ColdStore = {
      ...store,
      put: async (path, bytes) => {
        const text = (await Bun.zstdDecompress(bytes)).toString();
        if (text.includes("written before")) {
          erased = client.expecting(200, client.delete(`/webhooks/${old}/payload`));
          await until(async () => (await countWaiting()) > 0);
        }
        await store.put(path, bytes);
      },
    };
    await freeze(slow);
    await erased;
    await freeze();
    await refuseInFiles("written before it is erased");
    expect((await client.get(`/webhooks/${old}`)).body.data).toBeNull();
  });

  test("is exported with its files, and imported to Postgres", async () => {
    const [file, keys] = [
      join(folder, "export.gz"),
      parseEncryptionKeys(Buffer.alloc(32, 1).toString("base64")),
    ];
    await expect(transferData("export", database.url, file, { encryptionKeys: null })).rejects.toThrow(
      "HERMOD_COLD_STORE must be set",
    );
    await transferData("export", database.url, file, { encryptionKeys: null, store });
    await transferData("import", empty.url, file, { encryptionKeys: keys });
    const all = await listed(client, "/webhooks?limit=100");
    const moved = await empty.db.run(
      (sql) => sql<{ n: number }[]>`
        select count(*)::integer as n from deliveries d join results r on r.endpoint_id = d.endpoint_id and r.delivery_id = d.id
        where d.account_id = ${client.accountId}
      `,
    );
    expect(moved[0]?.n).toBe(all.length);
  });

  test("keeps a service from starting that does not know the store", async () => {
    await expect(startTestService({ beside: hot })).rejects.toThrow("HERMOD_COLD_STORE must be set");
  });

  test("gets a 503 while the store of files is away, and no part of a list", async () => {
    await client.send(endpoint, "order.paid", {});
    await rename(folder, `${folder}-away`);
    try {
      const answer = await client.get("/webhooks?limit=100");
      expectError(answer, 503, "SERVICE_UNAVAILABLE");
      expect(answer.headers.get("retry-after")).toBe("1");
      expectError(await client.post(`/webhooks/${webhooks.at(-5)}/resend`), 503, "SERVICE_UNAVAILABLE");
      expect((await client.get("/webhooks?limit=1")).status).toBe(200);
    } finally {
      await rename(`${folder}-away`, folder);
    }
    await client.expecting(200, client.get("/webhooks?limit=100"));
  });
});
