import { expect, test } from "bun:test";
import { arrayOf } from "../../src/db/sql/arrays";
import { fromText } from "../../src/domain/ids";
import { expectError, type Json } from "../http/client";
import { useService } from "../http/service";
import { until } from "../support/faults/until";

/**
 * Transaction ids reveal how much the whole installation writes, and an invented position could be anything in a statement.
 */

const service = await useService();
const client = await service.newClient();
const other = await service.newClient();
const { id } = await client.newEndpoint();
await client.newEndpoint();
await other.newEndpoint();
await other.newEndpoint();
const sent: Json[] = [];
for (let i = 0; i < 3; i++) sent.push(await client.send(id, `type.${i}`, {}));
for (let i = 0; i < 2; i++) {
  await client.expecting(202, client.post("/erasures", { event: "none" }));
  await client.expecting(201, client.post("/admin/accounts", { name: "x" }));
}

const LISTS = ["/webhooks", "/endpoints", "/jobs", "/event-types", "/admin/accounts"];

/** A cursor of each list, and an iterator that has advanced. */
async function tokens(): Promise<{ path: string; name: string; token: string }[]> {
  const found = [];
  for (const path of LISTS) {
    const { cursor } = await client.expecting(200, client.get(`${path}?limit=1`));
    found.push({ path, name: "cursor", token: cursor });
  }
  const moved = await until(async () => {
    const page = await client.expecting(200, client.get("/webhooks?iterator=start&limit=1"));
    return page.data.length === 1 && page;
  });
  const { iterator: now } = await client.expecting(200, client.get("/webhooks?iterator=now"));
  const iterators = [moved.iterator, now].map((token) => ({ path: "/webhooks", name: "iterator", token }));
  return [...found, ...iterators];
}

/** Returns everything that a client can read in a token. */
function readable(token: string): string {
  const parts = [token, ...token.split(".")];
  return parts.flatMap((part) => [part, Buffer.from(part, "base64url").toString("latin1")]).join("\n");
}

test("no cursor and no iterator reveals a transaction or an identifier of the database", async () => {
  const ids = sent.map(({ id }) => fromText("wh", id) ?? "");
  const transactions = await service.database.db.run(
    (sql) => sql<{ transaction: string }[]>`
      select transaction::text as transaction from deliveries where id = any(${arrayOf(ids)}::uuid[])
      union select pg_snapshot_xmin(pg_current_snapshot())::text
    `,
  );
  const secrets = [
    ...ids,
    ...sent.map(({ id }) => id),
    "type.",
    ...transactions.map((row) => row.transaction),
  ];
  for (const { token, path } of await tokens()) {
    const shown = secrets.filter((secret) => readable(token).includes(secret));
    expect({ path, shown }).toEqual({ path, shown: [] });
  }
});

test("each works only in its list and for its account", async () => {
  for (const { path, name, token } of await tokens()) {
    expect((await client.get(`${path}?${name}=${token}`)).status).toBe(200);
    expectError(await other.get(`${path}?${name}=${token}`), 400, "BAD_REQUEST", name);
    for (const list of LISTS.filter((each) => each !== path)) {
      expectError(await client.get(`${list}?cursor=${token}`), 400, "BAD_REQUEST", "cursor");
    }
  }
});

test("a changed token is a 400", async () => {
  for (const { path, name, token } of await tokens()) {
    for (let at = 0; at < token.length; at += 7) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      expectError(await client.get(`${path}?${name}=${changed}`), 400, "BAD_REQUEST", name);
    }
    expectError(await client.get(`${path}?${name}=${token}A`), 400, "BAD_REQUEST", name);
    expectError(await client.get(`${path}?${name}=${token}=`), 400, "BAD_REQUEST", name);
  }
});

test("an invented position is a 400, and so is a token of the former format", async () => {
  const madeUp = ["1i 0 00000000-0000-0000-0000-000000000000", '{"transaction":"0","id":"0","seen":null}'];
  for (const text of madeUp) {
    const token = Buffer.from(text).toString("base64url");
    expectError(await client.get(`/webhooks?iterator=${token}`), 400, "BAD_REQUEST", "iterator");
    expectError(await client.get(`/webhooks?cursor=${token}`), 400, "BAD_REQUEST", "cursor");
  }
  expectError(await client.get(`/endpoints?cursor=${sent[0].endpoint_id}`), 400, "BAD_REQUEST", "cursor");
});
