import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Delivery, DeliveryDetail, Endpoint, ListedDelivery } from "../../../src/client/types";
import { fromText, toText } from "../../../src/domain/ids";
import {
  falsehoodOfCount,
  falsehoodOfStuck,
  falsehoodOfWait,
  headIn,
  pendingInOrder,
  type Said,
  type Seen,
  type SeenOrder,
  type StoredDelivery,
  type Truth,
} from "../../console/parts/claims";
import { atEnd } from "../../support/at-end";
import { recordAttempt } from "../attempts";
import type { Client } from "../client";
import { useService } from "../service";

const service = await useService();
const { db } = service.database;
const speaker = new Worker(new URL("../../console/parts/speaker.ts", import.meta.url));
atEnd(() => speaker.terminate());

/** Returns what the console says of answers of the API. */
function sayOf(seen: Partial<Seen>): Promise<Said> {
  const said = Promise.withResolvers<Said>();
  speaker.onmessage = ({ data }) => said.resolve(data);
  speaker.onerror = ({ message }) => said.reject(new Error(message));
  speaker.postMessage({ rows: [], endpoints: [], details: [], stuck: [], ...seen });
  return said.promise;
}

const EVENTS = ["invoice.paid", "invoice.sent"] as const;
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant("send"),
      at: fc.nat(1),
      event: fc.constantFrom(...EVENTS),
      key: fc.constantFrom(undefined, "a", "b"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant("attempt"),
      pick: fc.nat(20),
      status: fc.constantFrom(0, 200, 200, 404, 503),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant("read"), at: fc.nat(1), limit: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("rest"), pick: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("pause"), at: fc.nat(1) }) },
);
const history = fc.record({
  orderings: fc.tuple(
    fc.constantFrom("ordered", "by_key", "unordered"),
    fc.constantFrom("ordered", "by_key", "unordered"),
  ),
  ways: fc.tuple(fc.constantFrom("push", "pull"), fc.constantFrom("push", "pull")),
  steps: fc.array(step, { minLength: 4, maxLength: 20 }),
});

type Row = Omit<StoredDelivery, "id" | "endpointId"> & { id: string; endpointId: string };

/** Reads what is stored of an account. */
async function readTruth(client: Client, shown: ReadonlySet<string>): Promise<Truth> {
  const deliveries = await db.run(
    (sql) => sql<Row[]>`
      select d.id, d.endpoint_id as "endpointId", d.sequence, d.ordering_key as key, coalesce(r.status, 'pending')::text as status,
        coalesce(r.attempt_count, q.attempt_count) as attempts, coalesce(r.response_status, q.response_status) as "lastStatus"
      from deliveries d
      left join results r on r.endpoint_id = d.endpoint_id and r.delivery_id = d.id
      left join queue q on q.account_id = d.account_id and q.delivery_id = d.id
      where d.account_id = ${client.accountId}
    `,
  );
  const endpoints = await db.run(
    (sql) => sql<
      {
        id: string;
        name: string;
        ordering: Endpoint["ordering"];
        isActive: boolean;
        isPulled: boolean;
        rests: boolean;
      }[]
    >`
      select id, description as name, ordering, is_active as "isActive", url is null as "isPulled",
        url is not null and coalesce(rests_until > now(), false) as rests
      from endpoints where account_id = ${client.accountId}
    `,
  );
  return {
    deliveries: deliveries.map((each) => ({
      ...each,
      id: toText("wh", each.id as never),
      endpointId: toText("ep", each.endpointId as never),
    })),
    endpoints: endpoints.map((each) => ({ ...each, id: toText("ep", each.id as never) })),
    shown,
  };
}

/** The first deliveries of all orders, which are the ones that a dispatcher may attempt. */
function headsIn(truth: Truth): StoredDelivery[] {
  const pending = truth.deliveries.filter(({ status }) => status === "pending");
  return pending
    .filter((each) => headIn(truth, each)?.id === each.id)
    .filter(({ endpointId }) => truth.endpoints.find(({ id }) => id === endpointId)?.isActive)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function addressOf(way: string | undefined) {
  return way === "pull" ? { delivery: way, url: undefined } : {};
}

async function play(
  client: Client,
  { orderings, ways, steps }: typeof history extends fc.Arbitrary<infer T> ? T : never,
) {
  const endpoints: { id: string }[] = [];
  for (const [n, ordering] of orderings.entries())
    endpoints.push(await client.newEndpoint({ ordering, description: `Shop ${n}`, ...addressOf(ways[n]) }));
  for (const each of steps) {
    if (each.act === "send" && "event" in each)
      await client.expecting(
        201,
        client.post("/webhooks", {
          endpoint_id: endpoints[each.at]?.id,
          event: each.event,
          ordering_key: each.key,
          data: {},
        }),
      );
    if (each.act === "pause" && "at" in each)
      await client.expecting(200, client.patch(`/endpoints/${endpoints[each.at]?.id}`, { is_active: false }));
    if (each.act === "read" && "limit" in each)
      // A pushed endpoint refuses it.
      await client.post(`/endpoints/${endpoints[each.at]?.id}/receive`, { limit: each.limit });
    if (!("pick" in each)) continue;
    const heads = headsIn(await readTruth(client, new Set()));
    const head = heads[each.pick % heads.length];
    if (!head) continue;
    const result = "status" in each ? { status: each.status } : { status: 429, restMs: 600_000 };
    await recordAttempt(
      db,
      { id: head.id, event: null },
      { ...result, health: result.status === 200 ? "recovered" : "failing" },
    );
  }
}

test("sentences about a filter are true of the rows that Postgres has", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (past) => {
      const client = await service.newClient();
      await play(client, past);
      const endpoints: Endpoint[] = await client.expecting(200, client.get("/endpoints"));
      for (const query of [...EVENTS.map((event) => `&event_type=${event}`), "&status=pending", ""]) {
        const { data, cursor } = await client.expecting(200, client.get(`/webhooks?limit=100${query}`));
        const rows: ListedDelivery[] = data;
        if (rows.length === 0) continue;
        const truth = await readTruth(client, new Set(rows.map(({ id }) => id)));
        expect(cursor).toBeNull();
        const { counted, waits } = await sayOf({ rows, endpoints });
        expect([counted, falsehoodOfCount(truth, counted)]).toEqual([counted, null]);
        for (const text of waits) expect([text, falsehoodOfWait(truth, text)]).toEqual([text, null]);
      }
      await expectTrueDetails(client, endpoints);
      await expectTrueOrders(client, endpoints);
    }),
    { numRuns: 6 },
  );
});

/** Checks what is said of each pending delivery on its own page. */
async function expectTrueDetails(client: Client, endpoints: readonly Endpoint[]): Promise<void> {
  const truth = await readTruth(client, new Set());
  for (const stored of truth.deliveries.filter(({ status }) => status === "pending")) {
    const delivery: DeliveryDetail = await client.expecting(200, client.get(`/webhooks/${stored.id}`));
    const endpoint = endpoints.find(({ id }) => id === stored.endpointId) ?? null;
    const order = pendingInOrder(truth, stored);
    const at = order.findIndex(({ id }) => id === stored.id);
    const [words = ""] = (await sayOf({ details: [{ delivery, endpoint }] })).details;
    const front = /^(\d+) in front\. #(\d+) is first/.exec(words);
    if (front) expect(front.slice(1).map(Number)).toEqual([at, order[0]?.sequence ?? 0]);
    const behind = /(\d+) deliver\w+ waits? until/.exec(words);
    if (behind) expect(Number(behind[1])).toBe(order.length - 1 - at);
    if (/Nothing waits behind it/.test(words)) expect(order.at(-1)?.id).toBe(stored.id);
    if (/receiver (has read|reads)/.test(words)) {
      expect(endpoint?.delivery).toBe("pull");
      expect(/has read/.test(words)).toBe(await isHandedOut(stored.id));
    }
    if (/under way or about to begin/.test(words)) expect([at, stored.attempts]).toEqual([0, 0]);
  }
}

/** True if a receiver has read the delivery, and has time left to acknowledge it. */
async function isHandedOut(id: string): Promise<boolean> {
  const [row] = await db.run(
    (sql) => sql`
      select exists (
        select from deliveries d join pulls p on p.endpoint_id = d.endpoint_id and p.ends_at > now() and d.sequence = any(p.sequences)
        where d.id = ${fromText("wh", id)}
      ) as is_it
    `,
  );
  return row?.is_it === true;
}

/** Checks what is said of each order that a retry holds back. */
async function expectTrueOrders(client: Client, endpoints: readonly Endpoint[]): Promise<void> {
  const truth = await readTruth(client, new Set());
  for (const { id } of endpoints.filter(({ ordering }) => ordering === "by_key")) {
    const orders = await client.expecting(200, client.get(`/endpoints/${id}/stuck-orders`));
    const stuck: SeenOrder[] = orders.data;
    const said = (await sayOf({ stuck })).stuck;
    for (const [n, text] of said.entries())
      expect([text, falsehoodOfStuck(truth, stuck[n]?.head.id ?? "", text)]).toEqual([text, null]);
  }
}

test("an order of a paused endpoint is not said to be retried", async () => {
  const client = await service.newClient();
  const endpoint = await client.newEndpoint({ ordering: "by_key", description: "Shop 0" });
  const body = { endpoint_id: endpoint.id, ordering_key: "a", data: {} };
  const head = await client.expecting(201, client.post("/webhooks", body));
  await client.expecting(201, client.post("/webhooks", body));
  await recordAttempt(db, head, { status: 503, verdict: "retry", health: "failing" });
  await expectTrueOrders(client, [endpoint as Endpoint]);
  await client.expecting(200, client.patch(`/endpoints/${endpoint.id}`, { is_active: false }));
  await expectTrueOrders(client, [endpoint as Endpoint]);
});

test("the count of deliveries in front says where it stops", async () => {
  const client = await service.newClient();
  const { id } = await client.newEndpoint();
  const sends = Array.from({ length: 1_000 }, () => ({ endpoint_id: id, data: {} }));
  await client.expecting(200, client.post("/webhooks/batch", { webhooks: sends }));
  const last: Delivery = await client.send(id);
  const wordsOf = async () => {
    const delivery: DeliveryDetail = await client.expecting(200, client.get(`/webhooks/${last.id}`));
    return (await sayOf({ details: [{ delivery, endpoint: null }] })).details[0];
  };
  expect(await wordsOf()).toStartWith("At least 1,000 in front. #1 is first");
  const [head] = headsIn(await readTruth(client, new Set()));
  await recordAttempt(db, { id: head?.id ?? "", event: null }, { status: 200 });
  expect(await wordsOf()).toStartWith("999 in front. #2 is first");
});
