import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SCHEMAS } from "../../src/event-types/event-type";
import { type Client, expectError, type Json } from "./client";
import { startTestService, type TestService } from "./service";
import { answerTo } from "./wire";

let service: TestService;
let client: Client;
let endpointId: string;

beforeAll(async () => {
  service = await startTestService();
  client = await service.newClient();
  endpointId = (await client.newEndpoint()).id;
});
afterAll(() => service.stop());

const pathOf = (name: string) => `/event-types/${encodeURIComponent(name)}`;
const put = (name: string, schema: unknown) => client.put(`${pathOf(name)}/schema`, { schema });
const SCHEMA = {
  type: "object",
  required: ["amount"],
  properties: { amount: { type: "number", minimum: 0 }, note: { type: "string", default: "x" } },
  description: "with a\nline break",
};

describe("an event type", () => {
  test("is known once it was sent", async () => {
    expectError(await client.get(pathOf("seen.once")), 404, "NOT_FOUND");
    await client.send(endpointId, "seen.once");
    expect(await client.expecting(200, client.get(pathOf("seen.once")))).toEqual({
      event_type: "seen.once",
      schema: null,
      created_at: expect.stringMatching(/Z$/),
    });
  });

  test("is described, before or after it was sent", async () => {
    const described = await client.expecting(200, put("described.first", SCHEMA));
    expect(described).toMatchObject({ event_type: "described.first", schema: SCHEMA });
    expect(await client.expecting(200, client.get(pathOf("described.first")))).toEqual(described);
    const replaced = await client.expecting(200, put("described.first", { type: "object" }));
    expect(replaced).toEqual({ ...described, schema: { type: "object" } });
  });

  test.each(["a/b", "a b", "ünï", "100%", "a?b#c", "..x", "😀", "+", "a.b.*"])(
    "may be called %s",
    async (name) => {
      await client.expecting(200, put(name, SCHEMA));
      expect((await client.expecting(200, client.get(pathOf(name)))).event_type).toBe(name);
      const refused = client.post("/webhooks", { endpoint_id: endpointId, event: name, data: {} });
      expectError(await refused, 400, "BAD_REQUEST", "amount");
    },
  );

  // A URL that is read has no such segments any more: a "schema" would be taken for what is meant.
  test.each([".", ".."])("may be called %s, percent-encoded", async (name) => {
    const path = `/v1/event-types/${name.replaceAll(".", "%2E")}`;
    const ask = async (method: string, at: string, body = "") => {
      const headers = [`Authorization: Bearer ${client.key}`, `Content-Length: ${body.length}`];
      const head = [`${method} ${path}${at} HTTP/1.1`, "Host: a", "Connection: close", ...headers];
      return answerTo(service.url, `${head.join("\r\n")}\r\n\r\n${body}`);
    };
    await client.expecting(200, put("schema", SCHEMA));
    expect(await ask("PUT", "/schema", '{"schema":{"title":"dots"}}')).toContain(`"event_type":"${name}"`);
    expect(await ask("GET", "")).toContain('"title":"dots"');
    expect(await ask("DELETE", "/schema")).toContain('{"deleted":true}');
    expect(await client.expecting(200, client.get(pathOf("schema")))).toMatchObject({ schema: SCHEMA });
  });

  test("of another account is not there", async () => {
    await client.expecting(200, put("mine.alone", SCHEMA));
    const stranger = await service.newClient();
    expectError(await stranger.get(pathOf("mine.alone")), 404, "NOT_FOUND");
    expectError(await stranger.delete(`${pathOf("mine.alone")}/schema`), 404, "NOT_FOUND");
    const theirs = await stranger.newEndpoint();
    expect((await stranger.send(theirs.id, "mine.alone", {})).status).toBe("pending");
  });

  test("are listed newest first, page by page", async () => {
    const account = await service.newClient();
    const endpoint = await account.newEndpoint();
    // In the order of their names too, which decides between those of one moment.
    const names = ["a", "b.c", "b.d", "z", "ü", "ü\ufffd"];
    for (const name of names) await account.send(endpoint.id, name);
    const found: string[] = [];
    for (let cursor = ""; ; ) {
      const page: Json = (await account.get(`/event-types?limit=2${cursor}`)).body;
      found.push(...page.data.map(({ event_type }: Json) => event_type));
      if (page.cursor === null) break;
      cursor = `&cursor=${page.cursor}`;
    }
    expect(found).toEqual(names.toReversed());
  });
});

test.each(["a\ufffdb", "a/b", "a%2Fb", "a%", "a+b", "a?b#c", "ü 😀", "event-types", "schema", "a\\b"])(
  "whatever is sent can be looked up and described: %s",
  async (name) => {
    const account = await service.newClient();
    await account.send((await account.newEndpoint()).id, name);
    expect((await account.expecting(200, account.get(pathOf(name)))).event_type).toBe(name);
    const described = account.put(`${pathOf(name)}/schema`, { schema: {} });
    expect((await account.expecting(200, described)).event_type).toBe(name);
    await account.expecting(200, account.delete(`${pathOf(name)}/schema`));
  },
);

describe("a schema", () => {
  const send = (data: unknown) => client.post("/webhooks", { endpoint_id: endpointId, event: "paid", data });

  test("keeps out what does not match, until it is removed", async () => {
    expect((await send({})).status).toBe(201);
    await client.expecting(200, put("paid", SCHEMA));
    expectError(await send({}), 400, "BAD_REQUEST", /amount/);
    expectError(await send({ amount: -1 }), 400, "BAD_REQUEST", /amount/);
    expectError(await send({ amount: "1" }), 400, "BAD_REQUEST", /amount/);
    expect((await send({ amount: 1 })).status).toBe(201);
    expect(await client.expecting(200, client.delete(`${pathOf("paid")}/schema`))).toEqual({ deleted: true });
    expect((await send({})).status).toBe(201);
    expectError(await client.delete(`${pathOf("paid")}/schema`), 404, "NOT_FOUND");
  });

  test("keeps a refused payload out of everything", async () => {
    const account = await service.newClient();
    const endpoint = await account.newEndpoint();
    await account.expecting(200, account.put("/event-types/strict/schema", { schema: SCHEMA }));
    await account.post("/webhooks", { endpoint_id: endpoint.id, event: "strict", data: {} });
    expect((await account.get("/webhooks")).body.total).toBe(0);
    expect((await account.get("/billing/usage")).body.webhooks.used).toBe(0);
    expect((await account.send(endpoint.id, "strict", { amount: 1 })).status).toBe("pending");
  });

  test("does not change the payload", async () => {
    await client.expecting(200, put("defaults", SCHEMA));
    const data = '{"amount":1.0,  "other":null}';
    const body = `{"endpoint_id":"${endpointId}","event":"defaults","data":${data}}`;
    const { id } = await client.expecting(201, client.post("/webhooks", body));
    expect((await client.get(`/webhooks/${id}`)).text).toContain(`"data":${data}`);
  });

  test.each([
    ["no object", 1],
    ["a list", []],
    ["an unknown type", { type: "thing" }],
    ["a reference to elsewhere", { $ref: "https://example.com/schema.json" }],
    ["a pattern that is none", { properties: { a: { pattern: "(" } } }],
    ["a NUL", { description: "\u0000" }],
    ["a lone surrogate", { enum: ["\ud800"] }],
    ["too much", { enum: Array.from({ length: 20_000 }, (_, i) => `value ${i}`) }],
    ["too deep", JSON.parse(`${'{"not":'.repeat(120)}{}${"}".repeat(120)}`)],
    ["much too deep", JSON.parse(`${'{"not":'.repeat(5_000)}{}${"}".repeat(5_000)}`)],
  ])("can't be %s", async (_, schema) => {
    expectError(await put("refused", schema), 400, "BAD_REQUEST");
    expectError(await client.get(pathOf("refused")), 404, "NOT_FOUND");
  });

  test.each(["%00", "%ff", "%zz", "x".repeat(257), "a%0Ab"])("of an event type %s can't be", async (name) => {
    expectError(await client.put(`/event-types/${name}/schema`, { schema: {} }), 400, "BAD_REQUEST", "name");
    expectError(await client.get(`/event-types/${name}`), 404, "NOT_FOUND");
    expectError(await client.delete(`/event-types/${name}/schema`), 404, "NOT_FOUND");
  });

  test("is one of so many of an account", async () => {
    const account = await service.newClient();
    await service.database.db.run(
      (sql) => sql`
        insert into event_types (account_id, name, schema)
        select ${account.accountId}, 'type ' || n, '{}' from generate_series(1, ${SCHEMAS.most}::integer) n`,
    );
    expectError(await account.put(`${pathOf("x")}/schema`, { schema: {} }), 403, "FORBIDDEN", "500");
  });

  test("is required", async () => {
    expectError(await client.put(`${pathOf("x")}/schema`, {}), 400, "BAD_REQUEST", "schema is required");
  });
});
