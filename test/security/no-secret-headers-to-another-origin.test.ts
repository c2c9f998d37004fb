import { expect, test } from "bun:test";
import { type EndpointId, fromText } from "../../src/domain/ids";
import { expectError, type Json } from "../http/client";
import { useService } from "../http/service";
import { untilBlocked } from "../support/blocked";

const SECRET = "Bearer s3cret-of-the-receiver";
const HERE = "https://receiver.example/hooks";
const HEADERS = {
  headers: { "x-plain": "seen", authorization: SECRET },
  sensitive_headers: ["authorization"],
};
const SHOWN = { headers: { "x-plain": "seen" }, sensitive_headers: ["authorization"] };

const service = await useService();
const client = await service.newClient();
/** A key with only the permissions to change an endpoint. */
const attacker = await service.newKey(client.accountId, ["endpoints:write", "webhooks:write"]);

const shown = (id: string): Promise<Json> => client.expecting(200, client.get(`/endpoints/${id}`));

test.each([
  ["host", "https://attacker.example/hooks"],
  ["subdomain", "https://a.receiver.example/hooks"],
  ["port", "https://receiver.example:8443/hooks"],
  ["scheme", "http://receiver.example/hooks"],
])("another %s is refused while a secret header is set, and nothing changes", async (_, url) => {
  const { id } = await client.newEndpoint({ url: HERE, ...HEADERS });
  for (const others of [{}, { feed: true }, { description: "mine", is_active: false }]) {
    const answer = await attacker.patch(`/endpoints/${id}`, { url, ...others });
    expectError(answer, 400, "BAD_REQUEST", /url .*headers again .*authorization/);
    expect(answer.text).not.toContain("s3cret");
    expect(await shown(id)).toMatchObject({
      url: HERE,
      feed: false,
      description: null,
      is_active: true,
      ...SHOWN,
    });
  }
});

test("with headers in the same request the URL changes, and the old secrets are removed", async () => {
  const replacements: (Record<string, string> | null)[] = [{}, null, { "x-plain": "other" }];
  for (const headers of replacements) {
    const { id } = await client.newEndpoint({ url: HERE, ...HEADERS });
    const url = "https://attacker.example/hooks";
    const changed = await attacker.expecting(
      200,
      attacker.patch(`/endpoints/${id}`, { url, headers, sensitive_headers: [] }),
    );
    expect(changed).toMatchObject({ url, headers: headers ?? {} });
    expect(await storedHeaders(id)).toEqual(
      headers && Object.keys(headers).length > 0 ? stored(headers) : null,
    );
  }
});

test("another URL of the same origin keeps them, however it is written", async () => {
  const { id } = await client.newEndpoint({ url: HERE, ...HEADERS });
  for (const url of ["https://receiver.example/v2?a=b", "HTTPS://Receiver.Example:443/", HERE]) {
    await client.expecting(200, client.patch(`/endpoints/${id}`, { url }));
    expect(await shown(id)).toMatchObject(SHOWN);
  }
});

test("headers that are not secret are kept", async () => {
  const { id } = await client.newEndpoint({ url: HERE, headers: { "x-plain": "seen" } });
  const url = "https://elsewhere.example/hooks";
  const changed = await client.expecting(200, client.patch(`/endpoints/${id}`, { url }));
  expect(changed).toMatchObject({ url, headers: { "x-plain": "seen" } });
});

test("a secret value is not shown if its header is made plain", async () => {
  const { id } = await client.newEndpoint({ url: HERE, ...HEADERS });
  for (const authorization of [{ secret: false }, { value: null, secret: false }]) {
    const answer = await attacker.patch(`/endpoints/${id}`, { headers: { authorization } });
    expectError(answer, 400, "BAD_REQUEST");
    expect(answer.text).not.toContain("s3cret");
  }
});

test("a secret header that is being added does not follow to a new origin", async () => {
  const { id } = await client.newEndpoint({ url: HERE });
  const { endpoints, db } = service.dependencies;
  const mayCommit = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const adding = db.transaction(async (sql) => {
    await sql`
      update endpoints set headers = '{"authorization": {"sealed": "sealed"}}' where id = ${idOf(id)}
    `;
    isHeld.resolve();
    await mayCommit.promise;
  });
  await isHeld.promise;
  const moving = endpoints.update(client.accountId, idOf(id), { url: "https://attacker.example" }).then(
    () => "moved",
    (error: Error) => error.name,
  );
  await untilBlocked(db);
  mayCommit.resolve();
  await adding;
  expect(await moving).toBe("SecretHeadersNeeded");
});

function idOf(text: string): EndpointId {
  const id = fromText("ep", text);
  if (id === null) throw new Error(`${text} is no endpoint`);
  return id;
}

async function storedHeaders(id: string): Promise<Json> {
  const { db } = service.dependencies;
  const [row] = await db.run((sql) => sql<Json[]>`select headers from endpoints where id = ${idOf(id)}`);
  return row.headers;
}

function stored(headers: Record<string, string>): Json {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }]));
}
