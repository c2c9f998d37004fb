import { describe, expect, test } from "bun:test";
import { type EndpointId, fromText, toText } from "../../src/domain/ids";
import { idAt, Ledger } from "../deliveries/ledger";
import { recordAttempt } from "./attempts";
import { type Client, expectError, type Json } from "./client";
import { ABSENT } from "./routes";
import { useService } from "./service";

const HOUR_MS = 3_600_000;
/** Creates a delivery in each of the windows that the lists of all accounts search. */
const AGES_MS = [10 * 24 * HOUR_MS, 3 * 24 * HOUR_MS, 3 * HOUR_MS];
const COUNT = 9;

const service = await useService();
const clients = [await service.newClient(), await service.newClient(), await service.newClient()];
const endpoints: string[] = [];
const { db } = service.database;
const ledger = new Ledger(db);
// The third has no deliveries.
for (const client of clients.slice(0, 2)) {
  const { id } = await client.newEndpoint();
  endpoints.push(id);
  for (const age of AGES_MS) {
    const delivery = idAt(Date.now() - age);
    await ledger.accept(client.accountId, fromText("ep", id) as EndpointId, "order.old", delivery, '{"n":0}');
  }
}
// Above the ledger's own numbers.
await db.run((sql) => sql`update mailboxes set last_sequence = 1000`);
for (let n = 0; n < COUNT; n++) {
  for (const [i, client] of clients.slice(0, 2).entries()) {
    const event = n % 3 === 0 ? "invoice.paid" : "order.created";
    const sent = await client.send(endpoints[i] ?? "", event, { n });
    await client.expecting(201, client.post("/events", { event, data: { n }, event_id: `${event}/${n}` }));
    if (n % 4 === 0) await recordAttempt(db, sent, { status: 200 });
    if (n % 4 === 1) await recordAttempt(db, sent, { status: 503 });
  }
}

async function readAll(client: Client, path: string): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Json = await client.expecting(200, client.get(cursor ? `${path}&cursor=${cursor}` : path));
    items.push(...page.data);
    cursor = page.cursor;
  }
  return items;
}

/** Returns the deliveries of the accounts' own lists, newest first, each with its account. */
async function merged(list: string, query: string): Promise<string[]> {
  const lists = clients.map(async (client) => {
    const items = await readAll(client, `${list}?limit=100&${query}`);
    return items.map(({ id }) => `${id} ${toText("acc", client.accountId)}`);
  });
  return (await Promise.all(lists)).flat().sort().reverse();
}

const withAccounts = (items: Json[]) => items.map(({ id, account_id }) => `${id} ${account_id}`);

describe("a list of all accounts is the accounts' lists merged:", () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

  test.each([
    "",
    "status=pending",
    "status=delivered",
    "status=failed",
    "event_type=invoice.paid",
    "event_type=order.old",
    "event_type=invoice.paid&status=pending",
    "event_type=order.created&status=delivered",
    "response_status=5xx",
    "response_status=503&event_type=order.created",
    "response_status=200",
    "error=timeout",
    "data.n=4",
    "data.n=0&status=pending",
    `after=${ago(4 * HOUR_MS)}`,
    `before=${ago(4 * HOUR_MS)}`,
    `after=${ago(5 * 24 * HOUR_MS)}&before=${ago(HOUR_MS)}`,
  ])("deliveries with %p", async (query) => {
    const wanted = await merged("/webhooks", query);
    if (!/failed|error/.test(query)) expect(wanted.length).toBeGreaterThan(1);
    expect(withAccounts(await readAll(service.admin, `/admin/deliveries?limit=2&${query}`))).toEqual(wanted);
  });

  test.each([
    "",
    "event_type=invoice.paid",
    "event_id=invoice.paid%2F3",
    "data.n=4",
    `after=${ago(HOUR_MS)}`,
  ])("events with %p", async (query) => {
    const wanted = await merged("/events", query);
    expect(wanted.length).toBeGreaterThan(1);
    expect(withAccounts(await readAll(service.admin, `/admin/events?limit=2&${query}`))).toEqual(wanted);
  });

  test("deliveries with their numbers, and the reasons for which they wait", async () => {
    const own = (await Promise.all(clients.map((client) => readAll(client, "/webhooks?limit=100")))).flat();
    const all = await readAll(service.admin, "/admin/deliveries?limit=100");
    const withoutAccount = all.map(({ account_id: _, endpoint_url, endpoint_description: __, ...rest }) => {
      expect(endpoint_url).toBeString();
      return rest;
    });
    const byId = (a: Json, b: Json) => a.id.localeCompare(b.id);
    expect(withoutAccount.toSorted(byId)).toEqual(own.toSorted(byId));
    expect(own.filter(({ waiting_for }) => waiting_for?.reason === "turn").length).toBeGreaterThan(1);
  });

  test("filtered by endpoint, it is the list of the endpoint's account", async () => {
    const found = await readAll(service.admin, `/admin/deliveries?limit=2&endpoint_id=${endpoints[0]}`);
    expect(found.length).toBeGreaterThan(COUNT);
    expect(withAccounts(found)).toEqual(await merged("/webhooks", `endpoint_id=${endpoints[0]}`));
    const absent = "ep_01k9x3v5q8e7bt2m4n6p8r0s2t";
    expect(await readAll(service.admin, `/admin/deliveries?endpoint_id=${absent}`)).toEqual([]);
  });
});

describe("account", () => {
  test("narrows a list, by id or external id", async () => {
    const [client] = clients as [Client];
    const id = toText("acc", client.accountId);
    await service.admin.expecting(
      200,
      service.admin.patch(`/admin/accounts/${id}`, { external_id: "shop 1" }),
    );
    for (const [list, own] of [
      ["deliveries", "/webhooks?limit=100"],
      ["events", "/events?limit=100"],
      ["endpoints", "/endpoints?limit=100"],
    ] as const) {
      const wanted = (await readAll(client, own)).map((each) => `${each.id} ${id}`);
      for (const account of [id, "~shop%201", "shop%201"]) {
        const found = await readAll(service.admin, `/admin/${list}?limit=2&account=${account}`);
        expect(withAccounts(found)).toEqual(wanted);
      }
    }
  });

  test("takes the first ~ as a mark, also if another account's external id begins with it", async () => {
    const [one, other] = clients as [Client, Client];
    const { admin } = service;
    for (const [client, external_id] of [
      [one, "shop 2"],
      [other, "~shop 2"],
    ] as const) {
      const account = toText("acc", client.accountId);
      await admin.expecting(200, admin.patch(`/admin/accounts/${account}`, { external_id }));
    }
    for (const [account, client] of [
      ["shop 2", one],
      ["~shop 2", one],
      ["~~shop 2", other],
    ] as const) {
      const found = await readAll(admin, `/admin/endpoints?account=${encodeURIComponent(account)}`);
      expect(new Set(found.map((each) => each.account_id))).toEqual(
        new Set([toText("acc", client.accountId)]),
      );
    }
  });

  test.each(["me", "~nobody", "~", "acc_1", ABSENT.account])("%p is a 400", async (account) => {
    for (const list of ["deliveries", "events", "endpoints", "stats/series"]) {
      expectError(
        await service.admin.get(`/admin/${list}?account=${account}`),
        400,
        "BAD_REQUEST",
        "account is no known account: give its id (acc_…) or its external_id",
      );
    }
  });
});

test("a cursor belongs to its list and its administrator", async () => {
  const { cursor } = await service.admin.expecting(200, service.admin.get("/admin/deliveries?limit=2"));
  for (const list of ["/admin/events", "/webhooks"]) {
    expectError(await service.admin.get(`${list}?cursor=${cursor}`), 400, "BAD_REQUEST");
  }
  expectError(await service.admin.get("/admin/deliveries?page=2"), 400, "BAD_REQUEST");
});

test("an administrator sees how much is stored, and for how long", async () => {
  const { admin } = service;
  const { storage, retention } = await admin.expecting(200, admin.get("/admin/system"));
  const { retention_ms } = await admin.expecting(200, admin.get("/me"));
  expect(storage.bytes).toBeGreaterThan(100_000);
  expect(storage.oldest_transaction_ms).toBeGreaterThanOrEqual(0);
  expect(retention).toEqual({ deliveries_ms: retention_ms, audit_ms: 365 * 24 * HOUR_MS });
});
