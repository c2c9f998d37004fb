import { expect, test } from "bun:test";
import { fromText } from "../../src/domain/ids";
import { bucketOf, encodeTally } from "../../src/domain/tally";
import { systemClock } from "../../src/runtime/clock";
import { recordAttempt } from "./attempts";
import { type Client, expectError, type Json } from "./client";
import { startTestService, useService } from "./service";

let client: Client;
const service = await useService();

const get = (path: string): Promise<Json> => client.expecting(200, client.get(path));
const idsOf = (items: Json[]): string[] => items.map(({ id }) => id);
const sendKeyed = (endpoint_id: string, ordering_key?: string) =>
  client.expecting(201, client.post("/webhooks", { endpoint_id, ordering_key, data: {} }));

/** Reads all pages of a list. */
async function readAll(path: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Json = await get(cursor === "" ? path : `${path}&cursor=${cursor}`);
    all.push(...page.data);
    cursor = page.cursor;
  }
  return all;
}

test("a list with cursors shows each delivery's sequence, and what a pending one waits for", async () => {
  client = await service.newClient();
  const { id } = await client.newEndpoint();
  const sent = [await client.send(id), await client.send(id), await client.send(id)];
  await recordAttempt(service.database.db, sent[0], { status: 200 });
  await recordAttempt(service.database.db, sent[1], { status: 503 });
  for (const query of ["limit=10", "iterator=start"]) {
    const data: Json[] = (await get(`/webhooks?${query}`)).data.toSorted(
      (a: Json, b: Json) => a.sequence - b.sequence,
    );
    expect(idsOf(data)).toEqual(idsOf(sent));
    const [done, retried, behind] = data;
    expect(done).not.toHaveProperty("waiting_for");
    expect(done.sequence).toBe(1);
    expect(retried.waiting_for).toEqual({ reason: "retry", until: retried.next_attempt_at });
    expect(behind.waiting_for).toMatchObject({
      reason: "turn",
      ahead: { count: 1, complete: true },
      in_front: { id: sent[1].id, sequence: 2, attempt_count: 1, response_status: 503 },
    });
    expect(behind.next_attempt_at).toBeNull();
  }
  // The published list by page stays as it is.
  const { deliveries } = await get("/webhooks");
  for (const each of deliveries) expect(each).not.toHaveProperty("sequence");
});

test("a pending delivery shows its place in its order, and how many are behind it", async () => {
  client = await service.newClient();
  const places = async (sent: Json[]) => {
    const details = await Promise.all(sent.map(({ id }) => get(`/webhooks/${id}`)));
    return details.map(({ place, behind }) => [place, behind]);
  };
  const ordered = await client.newEndpoint();
  const all = [await client.send(ordered.id), await client.send(ordered.id), await client.send(ordered.id)];
  expect(await places(all)).toEqual([
    [1, 2],
    [2, 1],
    [3, 0],
  ]);
  await recordAttempt(service.database.db, all[0], { status: 200 });
  expect(await places(all)).toEqual([
    [undefined, undefined],
    [1, 1],
    [2, 0],
  ]);

  const keyed = await client.newEndpoint({ ordering: "by_key" });
  const mixed: Json[] = [];
  for (const key of ["a", undefined, "a", "b", undefined, "a"]) mixed.push(await sendKeyed(keyed.id, key));
  expect(await places(mixed)).toEqual([
    [1, 2],
    [1, 1],
    [2, 1],
    [1, 0],
    [2, 0],
    [3, 0],
  ]);

  const free = await client.newEndpoint({ ordering: "unordered" });
  const loose = [await client.send(free.id), await client.send(free.id)];
  expect(await places(loose)).toEqual([
    [1, 0],
    [1, 0],
  ]);
});

test("an endpoint's queue lists its pending deliveries in order, page by page and by key", async () => {
  client = await service.newClient();
  const { id } = await client.newEndpoint({ ordering: "by_key" });
  const other = await client.newEndpoint();
  await client.send(other.id);
  const sent: Json[] = [];
  for (let n = 0; n < 7; n++) sent.push(await sendKeyed(id, n % 2 === 0 ? "even" : "odd"));
  await recordAttempt(service.database.db, sent[2], { status: 200 });
  const pending = sent.filter((_, n) => n !== 2);
  const queue = await readAll(`/endpoints/${id}/queue?limit=2`);
  expect(idsOf(queue)).toEqual(idsOf(pending));
  expect(queue[0].waiting_for).toEqual({ reason: "attempt" });
  expect(idsOf(await readAll(`/endpoints/${id}/queue?ordering_key=odd&limit=2`))).toEqual(
    idsOf(sent.filter((_, n) => n % 2 === 1)),
  );
  const empty = await client.newEndpoint();
  expect(await get(`/endpoints/${empty.id}/queue`)).toEqual({ data: [], cursor: null });
  const stranger = await service.newClient();
  expectError(await stranger.get(`/endpoints/${id}/queue`), 404, "NOT_FOUND");
});

test("the backlog lists each endpoint with pending deliveries, and why its first one waits", async () => {
  client = await service.newClient();
  const made: Json[] = [];
  for (let n = 0; n < 5; n++) made.push(await client.newEndpoint());
  const [failing, , paused, busy] = made;
  const first = await client.send(failing.id);
  await client.send(failing.id);
  await recordAttempt(service.database.db, first, { status: 500 });
  await client.expecting(200, client.patch(`/endpoints/${paused.id}`, { is_active: false }));
  const held = await client.send(paused.id);
  await client.send(busy.id);
  const done = await client.send(made[4].id);
  await recordAttempt(service.database.db, done, { status: 200 });
  const stranger = await service.newClient();
  await stranger.send((await stranger.newEndpoint()).id);

  const backlog = await readAll("/backlog?limit=2");
  expect(backlog.map(({ endpoint_id }) => endpoint_id)).toEqual([busy.id, paused.id, failing.id]);
  expect(backlog[2]).toMatchObject({
    pending: 2,
    since: first.created_at,
    head: { id: first.id, sequence: 1, response_status: 500, waiting_for: { reason: "retry" } },
  });
  expect(backlog[1]).toMatchObject({ pending: 1, head: { id: held.id, waiting_for: { reason: "pause" } } });
});

test("the backlog says what is late: longer than 5 s, and than the receiver takes, unless the account paused it", async () => {
  client = await service.newClient();
  const { db } = service.database;
  const made: Json[] = [];
  for (let n = 0; n < 4; n++) made.push(await client.newEndpoint());
  const [, slow, paused, scheduled] = made;
  let now = 0;
  for (const { id } of made) now = Date.parse((await client.send(id)).created_at);
  await client.expecting(200, client.patch(`/endpoints/${paused.id}`, { is_active: false }));
  const code = encodeTally({ kind: "deliveredFirst", answer: 2, receiver: bucketOf(600_000), delivery: 0 });
  await db.run(
    (sql) => sql`
      insert into series (subject, at, codes, counts)
      values (${fromText("ep", slow.id)}, now(), array[${code}::integer], '{1}')
    `,
  );
  const due = new Date(now + 3_600_000);
  await db.run(
    (sql) => sql`update deliveries set due_at = ${due} where endpoint_id = ${fromText("ep", scheduled.id)}`,
  );
  const clock = { ...systemClock, now: () => now };
  const beside = await startTestService({ beside: service, dependencies: { clock } });
  const readLate = async (waitedMs: number) => {
    now += waitedMs;
    const { data }: Json = await client.at(beside.url).expecting(200, client.at(beside.url).get("/backlog"));
    return data.toReversed().map((each: Json) => each.late);
  };
  expect(await readLate(1_000)).toEqual([false, false, false, false]);
  expect(await readLate(60_000)).toEqual([true, false, false, false]);
  expect((await get("/backlog")).data[0]).toMatchObject({
    endpoint_id: scheduled.id,
    since: due.toISOString(),
  });
  await beside.stop();
});

test("the orders that a retry holds back come with their first delivery, most pending deliveries first", async () => {
  client = await service.newClient();
  const { db } = service.database;
  const keyed = await client.newEndpoint({ ordering: "by_key" });
  const heads: Record<string, Json> = {};
  for (const key of ["a", "b", "c", undefined]) heads[String(key)] = await sendKeyed(keyed.id, key);
  for (const key of ["b", "b", "a", "c", "c", "c"]) await sendKeyed(keyed.id, key);
  for (const key of ["a", "b", "undefined"]) await recordAttempt(db, heads[key], { status: 503 });
  const stuck = async ({ id }: Json, query = "") => {
    const { data, complete } = await get(`/endpoints/${id}/stuck-orders${query}`);
    expect(complete).toBeTrue();
    return data.map(({ ordering_key, pending, head }: Json) => [ordering_key, pending, head.id]);
  };
  expect(await stuck(keyed)).toEqual([
    ["b", 3, heads.b?.id],
    ["a", 2, heads.a?.id],
    [null, 1, heads.undefined?.id],
  ]);
  expect(await stuck(keyed, "?limit=1")).toEqual([["b", 3, heads.b?.id]]);

  const [ordered, free] = [await client.newEndpoint(), await client.newEndpoint({ ordering: "unordered" })];
  for (const { id } of [ordered, free]) {
    const first = await sendKeyed(id, "x");
    await sendKeyed(id, "y");
    expect(await stuck({ id })).toEqual([]);
    await recordAttempt(db, first, { status: 500 });
    expect(await stuck({ id })).toEqual(id === free.id ? [] : [[null, 2, first.id]]);
  }
  const stranger = await service.newClient();
  expectError(await stranger.get(`/endpoints/${keyed.id}/stuck-orders`), 404, "NOT_FOUND");
});
