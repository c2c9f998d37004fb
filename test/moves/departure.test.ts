import { expect, test } from "bun:test";
import postgres from "postgres";
import { RequestLog } from "../../src/api/edge/request-log";
import type { Sql } from "../../src/db/pool";
import { fromText, toText } from "../../src/domain/ids";
import { channelOf } from "../../src/domain/move-channel";
import { carriedTables } from "../../src/moves/account-tables";
import { MoveSource } from "../../src/moves/source";
import { dropOverdueSlots } from "../../src/retention/overdue-moves";
import { systemClock } from "../../src/runtime/clock";
import { createLog } from "../../src/runtime/log";
import type { Client, Json } from "../http/client";
import { startTestService } from "../http/service";
import { atEnd } from "../support/at-end";

/** Says when a request was admitted. */
class WatchedLog extends RequestLog {
  onAdmitted = () => {};

  override admitted(...noted: Parameters<RequestLog["admitted"]>): void {
    super.admitted(...noted);
    this.onAdmitted();
  }
}

const requestLog = new WatchedLog({ log: createLog("silent"), share: 0, random: Math.random });
const service = await startTestService({ dependencies: { requestLog } });
atEnd(() => service.stop());
const sql = postgres(service.database.url, { max: 1 }) as unknown as Sql;
atEnd(() => sql.end());

const sourceOf = ({ accountId }: Client) => new MoveSource(sql, accountId);

/** Lets an account leave as a move does. */
async function leave(client: Client): Promise<void> {
  const source = sourceOf(client);
  await source.begin(60_000);
  await source.hold(0, 600_000);
  await source.close(true);
  await source.leave(10_000);
}

/** Operations that succeed without a write if nothing is there: their answers say so, for each item. */
const WRITES_NOTHING = [
  "/v1/endpoints/check-url",
  "/v1/event-types/{name}/schema/check",
  "/v1/webhooks/batch",
  "/v1/webhooks/resend",
];

/** The operations of an account that write, with an example of each body. */
async function writes(): Promise<{ method: string; path: string; body: unknown }[]> {
  const { paths } = (await (await fetch(`${service.url}/swagger/json`)).json()) as Json;
  const own = Object.entries<Json>(paths).filter(([path]) => !path.startsWith("/v1/admin/"));
  return own.flatMap(([path, operations]) =>
    Object.entries<Json>(operations)
      .filter(([method]) => ["post", "put", "patch", "delete"].includes(method))
      .map(([method, { requestBody }]) => {
        const content = requestBody?.content["application/json"];
        return {
          method,
          path,
          body: content?.example ?? Object.values<Json>(content?.examples ?? {})[0]?.value,
        };
      }),
  );
}

test("an account that has left is written nothing for, by no operation of a request that was admitted before", async () => {
  const client = await service.newClient();
  const endpoint = await client.newEndpoint();
  const { id } = await client.send(endpoint.id, "order.created", { n: 1 });
  await client.expecting(200, client.put("/event-types/order.created", { description: "an order" }));
  const ids: Record<string, string> = {
    webhooks: id,
    endpoints: endpoint.id,
    "event-types": "order.created",
  };
  const operations = await writes();
  // Figures of an endpoint that no publication follows, as of one that is created during a move.
  const subject = fromText("ep", endpoint.id) ?? "";
  await sql`insert into series (subject, at, codes, counts) values (${subject}, now() - interval '1 hour', '{1}', '{1}')`;
  const account = toText("acc", client.accountId);
  await leave(client);
  const late = [
    await client.post("/events", { event: "wanted.by.nobody", data: {} }),
    await client.post("/endpoints", { url: "https://example.com/late" }),
    await client.post("/keys", { name: "late" }),
    await client.delete(`/webhooks/${id}/payload`),
    await service.admin.post(`/admin/accounts/${account}/keys`, {}),
    await service.admin.patch(`/admin/accounts/${account}`, { name: "late" }),
  ];
  expect(late.map(({ status }) => status)).toEqual(late.map(() => 503));
  const accepted: string[] = [];
  for (const { method, path, body } of operations) {
    const written = path
      .replace(/^\/v1/, "")
      .replace(
        /\/([a-z-]+)\/\{\w+\}/,
        (_, name: string) => `/${name}/${ids[name] ?? "key_01k9x3w7r2e5bt8m1n4p6r8s0v"}`,
      )
      .replace(/\{\w+\}/g, "key_01k9x3w7r2e5bt8m1n4p6r8s0v");
    const { status, text } = await client.ask(method.toUpperCase(), written, body);
    if (status < 300 && !WRITES_NOTHING.includes(path)) accepted.push(`${method} ${path} ${text}`);
  }
  expect(accepted).toEqual([]);
  const [figures] = await sql`
    select (select count(*)::integer from series where subject = ${subject}) as here,
      (select count(*)::integer from moved_rows where account_id = ${client.accountId} and "table" = 'series') as carried
  `;
  expect(figures).toEqual({ here: 0, carried: 1 });
  const left = await Promise.all(
    carriedTables(channelOf(client.accountId)).map(async ({ name, isOwned }) => {
      const rows = await sql.unsafe(`select from "${name}" t where ${isOwned} limit 1`, [client.accountId]);
      return rows.length > 0 ? [name] : [];
    }),
  );
  // Keys refuse requests until the account has arrived. The audit log may have requests that succeeded without a write.
  expect(left.flat().filter((name) => name !== "audit_log")).toEqual(["api_keys", "accounts"]);
});

test("endpoints that are created or switched to push while the deliveries wait, wait as well", async () => {
  const client = await service.newClient();
  const pulled = await client.newEndpoint({ url: undefined, delivery: "pull" });
  const unlike = async (held: boolean) => {
    const rows = await sql`
      select e.id from endpoints e join moves m on m.account_id = e.account_id
      where e.account_id = ${client.accountId} and e.switched_until is distinct from ${held ? sql`m.held_until` : null}`;
    return rows.length;
  };
  await sourceOf(client).begin(60_000);
  await sourceOf(client).hold(0, 600_000);
  await client.newEndpoint();
  const toPush = { delivery: "push", url: "https://example.com/pushed" };
  await client.expecting(200, client.patch(`/endpoints/${pulled.id}`, toPush));
  expect(await unlike(true)).toBe(0);
  await sourceOf(client).release();
  expect(await unlike(false)).toBe(0);
  await sourceOf(client).end();
});

test("a move that is past its deadline keeps no WAL, unless the account has left", async () => {
  const [staying, leaving] = [await service.newClient(), await service.newClient()];
  for (const client of [staying, leaving]) {
    await sourceOf(client).begin(60_000);
    await sourceOf(client).publish();
  }
  expect(await dropOverdueSlots(service.database.db, systemClock)).toEqual([]);
  await sourceOf(leaving).close(true);
  await sql`update moves set deadline = now()`;
  expect(await dropOverdueSlots(service.database.db, systemClock)).toEqual([staying.accountId]);
  expect(await Promise.all([staying, leaving].map((client) => sourceOf(client).slot()))).toEqual([
    "missing",
    "there",
  ]);
  // Whoever starts the move again has all the time for it.
  expect(await sourceOf(staying).begin(60_000)).toBeGreaterThan(0);
  await sourceOf(leaving).unpublish();
});

test("a request whose body arrives after its account has left is answered 503, whatever it names", async () => {
  const client = await service.newClient();
  const endpoint = await client.newEndpoint();
  const begun = Promise.withResolvers<void>();
  requestLog.onAdmitted = begun.resolve;
  const rest = Promise.withResolvers<string>();
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue("{");
      controller.enqueue(await rest.promise);
      controller.close();
    },
  });
  const headers = { authorization: `Bearer ${client.key}`, "content-type": "application/json" };
  const answer = fetch(`${service.url}/v1/webhooks`, { method: "POST", headers, body });
  await begun.promise;
  await leave(client);
  // As after the time for which a process trusts a key.
  service.dependencies.authenticator.forget();
  rest.resolve(`"endpoint_id":"${endpoint.id}","data":{}}`);
  expect((await answer).status).toBe(503);
});
