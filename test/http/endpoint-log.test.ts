import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { LOG_PAGE } from "../../src/deliveries/log/endpoint-log";
import { startDue } from "../../src/deliveries/schedule";
import { fromText } from "../../src/domain/ids";
import { recordAttempt } from "./attempts";
import { answerOf, Client, expectError, type Json } from "./client";
import { type PastNumber, writeHistory } from "./history";
import { newPortalSession } from "./portal-session";
import { useService } from "./service";

setDefaultTimeout(120_000);

const service = await useService();
const { db } = service.database;
const client = await service.newClient();

const pathOf = ({ id }: Json, query = "") => `/endpoints/${id}/log${query}`;
const logOf = (endpoint: Json, query = ""): Promise<Json> =>
  client.expecting(200, client.get(pathOf(endpoint, query)));

async function delivered({ id }: Json, event?: string, data?: unknown): Promise<Json> {
  const sent = await client.send(id, event, data);
  await recordAttempt(db, sent, { status: 200 });
  return sent;
}

/** Reads all pages. Returns the entries. */
async function walk(endpoint: Json, limit: number, from = 1): Promise<Json[]> {
  const all: Json[] = [];
  for (let next = from; ; ) {
    const page = await logOf(endpoint, `?from=${next}&limit=${limit}`);
    all.push(...page.data);
    if (page.next_from > page.complete_up_to) return all;
    expect(page.next_from).toBeGreaterThan(next);
    next = page.next_from;
  }
}

const numbersOf = (entries: Json[]): number[] => entries.map(({ sequence }) => sequence);
const upTo = (n: number, from = 1) => Array.from({ length: n - from + 1 }, (_, i) => from + i);

describe("an endpoint's log", () => {
  test("has every number up to the first pending one, with what became of it", async () => {
    const endpoint = await client.newEndpoint({ ordering: "unordered" });
    const payload = '{"n": 12345678901234567890, "a":"\\u00e9"}';
    const body = `{"endpoint_id":"${endpoint.id}","event":"order.paid","ordering_key":"k","data":${payload}}`;
    const first = await client.expecting(201, client.post("/webhooks", body));
    await recordAttempt(db, first, { status: 200 });
    await recordAttempt(db, await client.send(endpoint.id, "a.b"), { status: 500, verdict: "failed" });
    const cancelled = await client.send(endpoint.id, "a.b");
    await client.expecting(200, client.post(`/webhooks/${cancelled.id}/cancel`));
    const erased = await delivered(endpoint, "a.b", { secret: true });
    await client.expecting(200, client.delete(`/webhooks/${erased.id}/payload`));
    await client.send(endpoint.id, "a.b");
    await delivered(endpoint, "a.b");
    const answer = await client.get(pathOf(endpoint));
    const { data, ...head } = answer.body;
    expect(head).toEqual({ epoch: expect.stringMatching(/^[0-9a-f]{16}$/), complete_up_to: 4, next_from: 5 });
    expect(answer.headers.get("hermod-epoch")).toBe(head.epoch);
    expect(answer.text).toContain(`"data":${payload}}`);
    expect(data[0]).toMatchObject({
      sequence: 1,
      status: "delivered",
      reason: null,
      id: first.id,
      webhook_id: first.id,
      event: "order.paid",
      ordering_key: "k",
      created_at: first.created_at,
      completed_at: expect.stringMatching(/Z$/),
    });
    expect(data.slice(1)).toMatchObject([
      { sequence: 2, status: "failed", reason: null, data: {} },
      { sequence: 3, status: "cancelled", reason: "requested", data: {} },
      { sequence: 4, status: "delivered", reason: null, erased: true, data: null },
    ]);
  });

  test("gives events, scheduled deliveries and resends the number that they were attempted with", async () => {
    const endpoint = await client.newEndpoint({ event_filter: "log.*" });
    const fields = { endpoint_id: endpoint.id, event: "log.later", data: { later: true } };
    const later = await client.expecting(
      201,
      client.post("/webhooks", { ...fields, deliver_after: new Date(Date.now() + 3_600_000).toISOString() }),
    );
    const one = await delivered(endpoint, "log.one", { one: 1 });
    const event = { event: "log.two", data: { two: 2 }, event_id: "of-the-shop" };
    await client.expecting(201, client.post("/events", event));
    await db.run(
      (sql) => sql`update queue set next_attempt_at = now() where delivery_id = ${fromText("wh", later.id)}`,
    );
    await db.transaction(startDue);
    const again = await client.expecting(201, client.post(`/webhooks/${one.id}/resend`));
    const queue = await client.expecting(200, client.get(`/endpoints/${endpoint.id}/queue`));
    for (const each of queue.data) await recordAttempt(db, each, { status: 200 });
    const { data } = await logOf(endpoint);
    expect(data).toMatchObject([
      { sequence: 1, id: one.id, data: { one: 1 } },
      { sequence: 2, webhook_id: `of-the-shop:${endpoint.id}`, event: "log.two", data: { two: 2 } },
      { sequence: 3, id: later.id, event: "log.later", data: { later: true } },
      { sequence: 4, id: again.id, webhook_id: one.id, data: { one: 1 } },
    ]);
  });

  test("ends at what has ended, and is empty beyond", async () => {
    const endpoint = await client.newEndpoint();
    expect(await logOf(endpoint)).toMatchObject({ complete_up_to: 0, next_from: 1, data: [] });
    await delivered(endpoint);
    await client.send(endpoint.id);
    expect(await logOf(endpoint, "?from=2")).toMatchObject({ complete_up_to: 1, next_from: 2, data: [] });
    expect(await logOf(endpoint, "?from=9")).toMatchObject({ complete_up_to: 1, next_from: 9, data: [] });
  });

  test("has each number once, wherever a page begins and whatever clock made the ids", async () => {
    const jitter = fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: -100, max: 100 }) },
      { weight: 1, arbitrary: fc.integer({ min: -250_000, max: 250_000 }) },
    );
    const age = fc.integer({ min: 1, max: 5 * 86_400_000 });
    const step = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 200_000 }), fc.constant(7_200_000));
    const anyNumber = fc.record({ jitter, step, late: fc.option(age, { freq: 8 }) });
    const histories = fc.array(anyNumber, { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 25 }), fc.nat(), async (history, limit, at) => {
        const endpoint = await client.newEndpoint();
        let now = Date.now() - 86_400_000;
        const numbers = history.map(({ jitter, step, late }, i): PastNumber => {
          now += step;
          return late === null
            ? { sequence: i + 1, time: now + jitter }
            : { sequence: i + 1, time: now - late, isLate: true };
        });
        await writeHistory(db, client.accountId, endpoint, numbers);
        const from = 1 + (at % numbers.length);
        const entries = await walk(endpoint, limit, from);
        expect(numbersOf(entries)).toEqual(upTo(numbers.length, from));
        expect(entries.map(({ data }) => data)).toEqual(numbersOf(entries).map((n) => ({ n })));
      }),
      { numRuns: 40 },
    );
  });

  test("has numbers that were committed at the same time, long after the one in front of them", async () => {
    const endpoint = await client.newEndpoint();
    const now = Date.now();
    const [first, second, third] = [now - 86_400_000, now - 1_000, now - 1_100];
    await writeHistory(db, client.accountId, endpoint, [
      { sequence: 1, time: first },
      { sequence: 2, time: second },
      { sequence: 3, time: third },
    ]);
    for (const limit of [1, 2, 3]) {
      const entries = await walk(endpoint, limit);
      expect(entries.map(({ sequence, data }) => [sequence, data?.n])).toEqual([1, 2, 3].map((n) => [n, n]));
    }
  });

  test("begins at the first number that is kept, and shows later ones that are not as removed", async () => {
    const endpoint = await client.newEndpoint();
    const start = Date.now() - 1_000_000;
    const kept = upTo(40).filter((n) => n > 20 && n !== 30);
    await writeHistory(
      db,
      client.accountId,
      endpoint,
      kept.map((n) => ({ sequence: n, time: start + n * 1_000 })),
    );
    const entries = await walk(endpoint, 7);
    expect(numbersOf(entries)).toEqual(upTo(40, 21));
    expect(entries.filter(({ status }) => status === "removed")).toEqual([
      { ...entries[9], sequence: 30, id: null, webhook_id: null, event: null, data: null, created_at: null },
    ]);
  });

  test("has a page of at most 500 numbers, and ends it early at 4 MiB of payloads", async () => {
    const endpoint = await client.newEndpoint();
    const numbers = upTo(LOG_PAGE.numbers + 5).map((n) => ({ sequence: n, time: Date.now() - 600_000 + n }));
    await writeHistory(db, client.accountId, endpoint, numbers);
    expect((await logOf(endpoint, "?limit=100000")).data).toHaveLength(LOG_PAGE.numbers);
    const large = await client.newEndpoint();
    for (let i = 0; i < 6; i++) await delivered(large, "a.b", "x".repeat(1_000_000));
    const page = await logOf(large);
    expect(page).toMatchObject({ next_from: 5, complete_up_to: 6 });
    expect(numbersOf(await walk(large, 500))).toEqual(upTo(6));
  });

  test("refuses numbers that are none", async () => {
    const endpoint = await client.newEndpoint();
    for (const query of ["from=0", "from=-1", "from=x", "limit=0", "from=1.5"])
      expectError(
        await client.get(pathOf(endpoint, `?${query}`)),
        400,
        "BAD_REQUEST",
        "positive whole number",
      );
    expect((await logOf(endpoint, `?from=${"9".repeat(30)}`)).data).toEqual([]);
  });
});

describe("an endpoint's log is read", () => {
  test("by the key of its receiver, also with an external id, and by no key of another endpoint", async () => {
    const endpoint = await client.newEndpoint({ external_id: "warehouse" });
    await delivered(endpoint, "a.b", { n: 1 });
    const { key } = await client.expecting(201, client.post(`/endpoints/${endpoint.id}/receiver-keys`, {}));
    const receiver = new Client(service.url, client.accountId, key);
    for (const path of [pathOf(endpoint), "/endpoints/~warehouse/log"])
      expect((await receiver.get(path)).body.data).toMatchObject([{ sequence: 1, data: { n: 1 } }]);
    const other = await client.newEndpoint({ external_id: "another" });
    for (const path of [pathOf(other), "/endpoints/~another/log", "/endpoints/~none/log"])
      expectError(await receiver.get(path), 404, "NOT_FOUND");
    const headers = (await receiver.get(pathOf(endpoint))).headers;
    expect(headers.get("ratelimit-limit")).toBe("6000");
    await client.expecting(200, client.delete(`/endpoints/${endpoint.id}`));
    expect([401, 404]).toContain((await receiver.get(pathOf(endpoint))).status);
  });

  test("in the portal without the payloads that the session may not see", async () => {
    const endpoint = await client.newEndpoint();
    await delivered(endpoint, "order.paid", { n: 1 });
    await delivered(endpoint, "user.created", { n: 2 });
    const seenBy = async (body: object) => {
      const headers = await newPortalSession(service, client, { endpoint_ids: [endpoint.id], ...body });
      const answer = await answerOf(await fetch(`${service.url}/v1${pathOf(endpoint)}`, { headers }));
      return answer.body.data.map(({ data }: Json) => data);
    };
    expect(await seenBy({ capabilities: ["view"] })).toEqual([null, null]);
    expect(await seenBy({ capabilities: ["view", "view_payloads"] })).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await seenBy({ capabilities: ["view", "view_payloads"], event_types: ["order.*"] })).toEqual([
      { n: 1 },
      null,
    ]);
  });
});
