import { expect, setDefaultTimeout, test } from "bun:test";
import { arrayOf } from "../../src/db/sql/arrays";
import { eventIdFrom } from "../../src/db/sql/event-key";
import { type AccountId, type EndpointId, fromText, newId } from "../../src/domain/ids";
import type { FanOut, FanOutResult } from "../../src/intake/events/fan-out";
import { FanOutCommit } from "../../src/intake/events/fan-out-commit";
import { chooseShards } from "../../src/intake/usage";
import { systemClock } from "../../src/runtime/clock";
import type { Client } from "../http/client";
import { useService } from "../http/service";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const service = await useService();

async function addEndpoints(accountId: AccountId, count: number): Promise<EndpointId[]> {
  const ids = Array.from({ length: count }, () => newId("ep"));
  await service.database.db.run(
    (sql) => sql`
      with ids as (select unnest(${arrayOf(ids)}::uuid[]) as id),
      boxes as (insert into mailboxes (endpoint_id, partition) select id, 3 from ids)
      insert into endpoints (id, account_id, url, signing_secret)
      select id, ${accountId}, 'http://127.0.0.1:9', 'sealed' from ids`,
  );
  return ids;
}

async function countDeliveries({ accountId }: { accountId: AccountId }): Promise<number> {
  const [row] = await service.database.db.run(
    (sql) => sql<{ n: number }[]>`select count(*) as n from deliveries where account_id = ${accountId}`,
  );
  return row?.n ?? Number.NaN;
}

/** Locks the mailbox of an endpoint while `work` runs. */
async function whileLocked<T>(id: EndpointId | null | undefined, work: () => Promise<T>): Promise<T> {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: isLocked, resolve: noteLocked } = Promise.withResolvers<void>();
  const lock = service.database.db.transaction(async (sql) => {
    await sql`select from mailboxes where endpoint_id = ${id ?? null} for update`;
    noteLocked();
    await isOver;
  });
  await isLocked;
  try {
    return await work();
  } finally {
    end();
    await lock;
  }
}

const events = (count: number) => ({
  events: Array.from({ length: count }, (_, n) => ({ event: "a.b", data: { n } })),
});
const statusesOf = (body: { results: { status: number }[] }) => body.results.map(({ status }) => status);

test("a request makes 10,000 deliveries at most, and names the events that are left", async () => {
  const client = await service.newClient();
  await addEndpoints(client.accountId, 4_000);
  const key = { "idempotency-key": crypto.randomUUID() };
  const publish = () => client.expecting(200, client.post("/events/batch", events(5), key));
  const { results } = await publish();
  expect(statusesOf({ results })).toEqual([201, 201, 400, 400, 400]);
  expect(results[2].error).toEqual({
    code: "BAD_REQUEST",
    message: expect.stringMatching(/10000 deliveries.*it would make 12000.*another request/),
  });
  expect(await countDeliveries(client)).toBe(8_000);
  // The same request continues where the first one ended.
  expect(statusesOf(await publish())).toEqual([201, 201, 201, 201, 400]);
  expect(await countDeliveries(client)).toBe(16_000);
});

/** Sends a request, and closes its connection once Postgres waits for the lock that `ask` needs. */
async function askAndLeave(client: Client, path: string, body: unknown): Promise<void> {
  const gone = new AbortController();
  const request = fetch(`${client.url}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${client.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: gone.signal,
  });
  await until(isWaitingForLock);
  gone.abort();
  await expect(request).rejects.toThrow();
}

test("events of a disconnected client are not accepted", async () => {
  const client = await service.newClient();
  const [first] = await addEndpoints(client.accountId, 400);
  await whileLocked(first, () => askAndLeave(client, "/events/batch", events(10)));
  // Only the one already at Postgres is before the next one.
  await client.expecting(201, client.post("/events", { event: "a.b", data: {} }));
  expect(await countDeliveries(client)).toBe(800);
});

test("webhooks of a disconnected client are not accepted", async () => {
  const client = await service.newClient();
  const endpoint = await client.newEndpoint();
  const webhook = { endpoint_id: endpoint.id, data: {} };
  const locked = fromText("ep", endpoint.id);
  await whileLocked(locked, () =>
    askAndLeave(client, "/webhooks/batch", { webhooks: Array(1_000).fill(webhook) }),
  );
  await client.expecting(201, client.post("/webhooks", webhook));
  expect(await countDeliveries(client)).toBe(501);
});

async function isWaitingForLock(): Promise<boolean> {
  const rows = await service.database.db.run(
    (sql) => sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
}

test("a large event delays only events of its own account", async () => {
  const [large, small] = [await service.newClient(), await service.newClient()];
  const [first] = await addEndpoints(large.accountId, 400);
  await addEndpoints(small.accountId, 1);
  const { db } = service.database;
  const shard = chooseShards(Math.random()).fanOuts;
  const intake = new FanOutCommit({ db, clock: systemClock, shard, maxQueued: 100, onAccepted: () => {} });
  const order: string[] = [];
  const publish = async (client: Client, name: string): Promise<FanOutResult> => {
    const event: FanOut = {
      id: eventIdFrom(newId("wh")),
      accountId: client.accountId,
      event: "a.b",
      orderingKey: null,
      data: "{}",
      idempotency: null,
    };
    const result = await intake.accept(event);
    order.push(name);
    return result;
  };
  const waiting = await whileLocked(first, async () => {
    const own = [publish(large, "large 1"), publish(large, "large 2")];
    await until(isWaitingForLock);
    await publish(small, "small");
    expect(order).toEqual(["small"]);
    return { own };
  });
  await Promise.all(waiting.own);
  expect(order).toEqual(["small", "large 1", "large 2"]);
});

test("a large event's deliveries let other work run in the event loop", async () => {
  const client = await service.newClient();
  await addEndpoints(client.accountId, 1_000);
  let announced = 0;
  let most = 0;
  let before = 0;
  const { db } = service.database;
  const shard = chooseShards(Math.random()).fanOuts;
  const onAccepted = () => {
    if (announced === before) setImmediate(noteTurn);
    announced++;
  };
  const noteTurn = () => {
    most = Math.max(most, announced - before);
    before = announced;
  };
  const intake = new FanOutCommit({ db, clock: systemClock, shard, maxQueued: 100, onAccepted });
  const { accountId } = client;
  const id = eventIdFrom(newId("wh"));
  await intake.accept({ id, accountId, event: "a.b", orderingKey: null, data: "{}", idempotency: null });
  await intake.drained();
  expect(announced).toBe(1_000);
  expect(most).toBeLessThanOrEqual(100);
});
