import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import connect from "postgres";
import { fromText } from "../../src/domain/ids";
import { onPort } from "../../src/embedded/port";
import { createLog, type Log } from "../../src/runtime/log";
import { startService } from "../../src/service/service";
import { atEnd } from "../support/at-end";
import { TcpProxy } from "../support/faults/tcp-proxy";
import { until } from "../support/faults/until";
import { type TestDatabase, testDatabase, useDatabase } from "../support/postgres";
import { testNatsUrl } from "../support/servers";
import { ADMIN_KEY, configOn } from "../support/service-config";

const database = await useDatabase();
const folder = await mkdtemp(join(tmpdir(), "hermod-service-"));
atEnd(() => rm(folder, { recursive: true }));

/** Counts the connections of services. */
async function connectionsOf({ db }: TestDatabase): Promise<number> {
  const found = await db.run(
    (sql) => sql`select from pg_stat_activity where application_name like 'hermod%'
      and datname = current_database() and pid <> pg_backend_pid()`,
  );
  return found.length;
}

async function post(api: string, path: string, body: object): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
  const answer = await fetch(`${api}/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return JSON.parse(await answer.text());
}

async function start(env: Record<string, string>, log: Log = createLog("silent")) {
  return startService(await configOn(database, folder, env), "all", log);
}

test("a start that fails at its port has changed neither others' partitions nor their admin key", async () => {
  using taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  await expect(start({ PORT: String(taken.port) })).rejects.toThrow(/PORT/);
  const owned = await database.db.run((sql) => sql`select from partition_leases where term > 0`);
  expect(owned).toHaveLength(0);
  expect(await database.db.run((sql) => sql`select from api_keys`)).toHaveLength(0);
});

test("a start with an unknown default plan names the plans, and opens no port", async () => {
  const port = await onPort(join(folder, "plan"), undefined, async (free) => free);
  await expect(start({ PORT: String(port), HERMOD_DEFAULT_PLAN: "gold" })).rejects.toThrow(
    "HERMOD_DEFAULT_PLAN names gold, which is no plan of this installation; it must be one of free, pro, starter, unlimited",
  );
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
});

test("a request that arrives before the admin key is stored waits for it", async () => {
  const own = await testDatabase();
  const port = await onPort(join(folder, "early"), undefined, async (free) => free);
  const url = `http://127.0.0.1:${port}`;
  const asked = await own.db.transaction(async (sql) => {
    await sql`lock table api_keys in share mode`;
    const starting = startService(
      await configOn(own, folder, { PORT: String(port) }),
      "all",
      createLog("silent"),
    );
    await until(async () => (await fetch(`${url}/health/live`)).ok, { what: "the port" });
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    return { starting, answer: fetch(`${url}/v1/stats`, { headers }) };
  });
  expect((await asked.answer).status).toBe(200);
  await (await asked.starting).stop();
  await own.drop();
});

test("a start that fails at its dispatcher has released its port, and leaves nothing open", async () => {
  const own = await testDatabase();
  await own.db.run((sql) => sql`alter table partition_leases rename to elsewhere`);
  const port = await onPort(join(folder, "port"), undefined, async (free) => free);
  const config = await configOn(own, folder, { PORT: String(port) });
  await expect(startService(config, "all", createLog("silent"))).rejects.toThrow(/partition_leases/);
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
  await until(async () => (await connectionsOf(own)) === 0);
  await own.drop();
});

test("a number of partitions other than the installation's is refused", async () => {
  await expect(start({ HERMOD_PARTITIONS: "16" })).rejects.toThrow(/HERMOD_PARTITIONS is 16.*made with 8/);
});

test("a send waits for a lock without blocking others, and a stop leaves nothing open", async () => {
  const own = await testDatabase();
  const service = await start({ DATABASE_URL: own.url, HERMOD_METRICS_PORT: "0" });
  const api = `http://127.0.0.1:${service.port}`;
  // Attempts that succeed take no lock that a send needs: a commit of one that fails would, for as long as the disk stalls.
  using receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const [locked, other] = [
    await post(api, "/endpoints", { url: String(receiver.url) }),
    await post(api, "/endpoints", { url: String(receiver.url) }),
  ];
  const send = ({ id }: { id: string }) => post(api, "/webhooks", { endpoint_id: id, data: {} });
  const locking = own.open({ size: 1 });
  const waiting = await locking.transaction(async (sql) => {
    await sql`select from mailboxes where endpoint_id = ${fromText("ep", locked.id)} for update`;
    let isSent = false;
    const sent = send(locked).then(() => {
      isSent = true;
    });
    for (let i = 0; i < 5; i++) await send(other);
    expect(isSent).toBe(false);
    return { sent };
  });
  await locking.close();
  await waiting.sent;
  await service.stop();
  for (const port of [service.port, service.metricsPort])
    await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
  await until(async () => (await connectionsOf(own)) === 0);
  await own.drop();
});

test("a stop ends by itself, even if neither Postgres nor NATS answers", async () => {
  const own = await testDatabase();
  const proxies = await Promise.all([own.url, await testNatsUrl()].map((url) => TcpProxy.to(url)));
  const [postgres, nats] = proxies;
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const fetched = () => {
    asked.resolve();
    return answer.promise;
  };
  using receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: fetched });
  const service = await start({
    DATABASE_URL: postgres?.urlFor(own.url) ?? "",
    NATS_URL: nats?.urlFor(await testNatsUrl()) ?? "",
    HERMOD_DRAIN_TIMEOUT: "1s",
  });
  const api = `http://127.0.0.1:${service.port}`;
  const { id } = await post(api, "/endpoints", { url: receiver.url.href });
  const send = () => post(api, "/webhooks", { endpoint_id: id, event: "order.paid", data: {} });
  await send();
  await asked.promise;
  for (const proxy of proxies) proxy.stall();
  // An outcome that can't be recorded, and a send that can't be committed.
  answer.resolve(new Response());
  const sent = send().catch(() => null);
  // Both have arrived: the receiver's answer, and the send, which came before it.
  await until(() => receiver.pendingRequests === 0);
  await fetch(`http://127.0.0.1:${service.port}/health/live`);
  // It takes at most four seconds more than the drain on an idle machine. Each wait has its end, so the test's own end is the bound.
  await service.stop();
  await sent;
  await Promise.all(proxies.map((proxy) => proxy.end()));
  await own.drop();
});

test("a start reports an encryption key that does not open the stored secrets", async () => {
  const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
  const first = await start({ HERMOD_ENCRYPTION_KEY: key("one") });
  const answer = await fetch(`http://127.0.0.1:${first.port}/v1/endpoints`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ url: "http://127.0.0.1:9/" }),
  });
  expect(answer.status).toBe(201);
  await first.stop();
  const errors: unknown[] = [];
  const log = Object.assign(createLog("silent"), { error: (facts: unknown) => errors.push(facts) });
  const other = await start({ HERMOD_ENCRYPTION_KEY: key("two") }, log);
  await until(() => errors.length > 0);
  expect(errors).toEqual([{ unreadable: 1, key: "two" }]);
  await other.stop();
});

test("a process with eight connections to Postgres never opens more, and still delivers", async () => {
  const own = await testDatabase();
  const received = new Set<string>();
  using receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ headers }) => {
      received.add(headers.get("webhook-id") ?? "");
      return new Response();
    },
  });
  const config = await configOn(own, folder, { HERMOD_DATABASE_CONNECTIONS: "8" });
  const service = await startService(config, "all", createLog("silent"));
  const api = `http://127.0.0.1:${service.port}`;
  const [endpoint, locked] = [
    await post(api, "/endpoints", { url: `http://127.0.0.1:${receiver.port}/`, event_types: ["a.*"] }),
    await post(api, "/endpoints", { url: `http://127.0.0.1:${receiver.port}/`, event_types: ["a.*"] }),
  ];
  // A send waits for a lock, on a connection that is opened only then. This connection is not counted: it has another name.
  const other = connect(own.url, { max: 1 });
  const unlock = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const lock = other.begin(async (sql) => {
    await sql`select from mailboxes where endpoint_id = ${fromText("ep", locked.id)} for update`;
    held.resolve();
    await unlock.promise;
  });
  await held.promise;
  const sendLate = async () =>
    (await post(api, "/webhooks", { endpoint_id: locked.id, event: "a.b", data: {} })).id;
  // On a busy machine the lock lasts for longer than the send may wait: then it is refused, and sent again.
  const late = until(sendLate, { what: "a send that waits" });
  let most = 0;
  const send = async (i: number) => {
    const { id } = await post(api, "/webhooks", { endpoint_id: endpoint.id, event: "a.b", data: { i } });
    await post(api, "/keys", { name: `key ${i}` });
    await post(api, "/events", { event: "nobody.wants", data: { i } });
    await fetch(`${api}/v1/webhooks?status=pending`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    return id;
  };
  const sending = Promise.all(Array.from({ length: 100 }, (_, i) => send(i)));
  // One query after the other, all on the same connection, which is not counted.
  const whileLooking = async (isOver: () => boolean) => {
    most = Math.max(most, await connectionsOf(own));
    return isOver();
  };
  let sent: string[] | null = null;
  sending.then((ids) => {
    sent = ids;
  });
  const isDelivered = () => sent?.every((id) => received.has(id)) ?? false;
  await until(() => whileLooking(isDelivered), { what: "all deliveries" });
  await until(() => whileLooking(() => most >= 8), { what: () => `all connections (${most} are open)` });
  unlock.resolve();
  await lock;
  const id = await late;
  await until(() => whileLooking(() => received.has(id)), { what: "the delivery that waited" });
  await other.end();
  expect(most).toBe(8);
  await service.stop();
  await own.drop();
});
