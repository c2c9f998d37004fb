import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { DESCRIPTION_LIMITS } from "../../src/event-types/description";
import { MAX_VERSIONS, SCHEMAS } from "../../src/event-types/event-type-limits";
import { type Client, expectError, type Json } from "./client";
import { useService } from "./service";
import { answerTo } from "./wire";

const service = await useService();
const client = await service.newClient();
const endpointId: string = (await client.newEndpoint()).id;

const pathOf = (name: string) => `/event-types/${encodeURIComponent(name)}`;
const put = (name: string, schema: unknown) => client.put(`${pathOf(name)}/schema`, { schema });
const SCHEMA = {
  type: "object",
  required: ["amount"],
  properties: { amount: { type: "number", minimum: 0 }, note: { type: "string", default: "x" } },
  description: "with a\nline break",
};

describe("an event type", () => {
  test("exists after its first use", async () => {
    expectError(await client.get(pathOf("seen.once")), 404, "NOT_FOUND");
    await client.send(endpointId, "seen.once");
    expect(await client.expecting(200, client.get(pathOf("seen.once")))).toEqual({
      event_type: "seen.once",
      description: null,
      group: null,
      example: null,
      deprecated: false,
      schema: null,
      schema_version: 0,
      created_at: expect.stringMatching(/Z$/),
      source: "account",
    });
  });

  test("can be described before or after its first use", async () => {
    const { warnings, ...described } = await client.expecting(200, put("described.first", SCHEMA));
    expect(described).toMatchObject({ event_type: "described.first", schema: SCHEMA, schema_version: 1 });
    expect(warnings).toEqual([]);
    expect(await client.expecting(200, client.get(pathOf("described.first")))).toEqual(described);
    const replaced = await client.expecting(200, put("described.first", { type: "object" }));
    expect(replaced).toEqual({ ...described, schema: { type: "object" }, schema_version: 2, warnings: [] });
  });

  test.each(["a/b", "a b", "ünï", "100%", "a?b#c", "..x", "😀", "+", "a.b.*"])(
    "may be named %s",
    async (name) => {
      await client.expecting(200, put(name, SCHEMA));
      expect((await client.expecting(200, client.get(pathOf(name)))).event_type).toBe(name);
      const refused = client.post("/webhooks", { endpoint_id: endpointId, event: name, data: {} });
      expectError(await refused, 400, "BAD_REQUEST", "amount");
    },
  );

  // A parsed URL no longer has such segments, and would take "schema" for the name.
  test.each([".", ".."])("may be named %s, percent-encoded", async (name) => {
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

  test("of another account is a 404", async () => {
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
    // Sorted by name too, which decides among event types of the same time.
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

  test("refuses other payloads, until it is removed", async () => {
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

  test("keeps a refused payload out of every table", async () => {
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
    ["a reference to nothing", { $ref: "#/$defs/a" }],
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

  test("is kept whole, and the answer names what is not checked", async () => {
    const schema = {
      type: "object",
      properties: { url: { type: "string", format: "uri-template" }, next: { $ref: "#" } },
    };
    const { warnings, ...type } = await client.expecting(200, put("partly", schema));
    expect(type.schema).toEqual(schema);
    expect(warnings).toEqual([
      "schema has the format uri-template, which is not checked, at /properties/url/format",
      "schema refers to a part from within it, which is not checked again there, at /properties/next/$ref",
    ]);
    const check = await client.post(`${pathOf("partly")}/schema/check`, { schema });
    expect(check.body).toEqual({ examined: 0, refused: 0, warnings, data: [] });
    const sendIt = (data: unknown) => client.post("/events", { event: "partly", data });
    expectError(await sendIt({ url: 1 }), 400, "BAD_REQUEST", "data.url must be string");
    await client.expecting(201, sendIt({ url: "{", next: 1 }));
    const content = { "application/json": { schema } };
    const document = { openapi: "3.1.0", webhooks: { partly: { post: { requestBody: { content } } } } };
    const { data } = await client.expecting(200, client.post("/catalogue/import", { document }));
    expect(data[0].warnings).toEqual(warnings);
  });

  test("counts against the account's limit", async () => {
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

describe("the catalogue", () => {
  const describeIt = (name: string, fields: unknown) => client.put(pathOf(name), fields);

  test("describes an event type field by field, before or after its first use", async () => {
    const told = { description: "Paid", group: "Orders", example: { amount: 1 }, deprecated: true };
    const made = await client.expecting(200, describeIt("told", told));
    expect(made).toMatchObject({ event_type: "told", ...told, schema: null, schema_version: 0 });
    const changed = await client.expecting(200, describeIt("told", { group: null, example: null }));
    expect(changed).toEqual({ ...made, group: null, example: null });
    await client.expecting(200, put("told", SCHEMA));
    expect((await client.get(pathOf("told"))).body).toMatchObject({
      description: "Paid",
      deprecated: true,
      schema: SCHEMA,
    });
    expect(await client.expecting(200, describeIt("told", { deprecated: null }))).toMatchObject({
      description: "Paid",
      deprecated: false,
    });
  });

  test("refuses texts that are too long, and other types", async () => {
    const wrong: [string, unknown][] = [
      ["description", "a".repeat(DESCRIPTION_LIMITS.description + 1)],
      ["group", ""],
      ["group", "a".repeat(DESCRIPTION_LIMITS.group + 1)],
      ["example", "a".repeat(DESCRIPTION_LIMITS.exampleBytes)],
      ["deprecated", "no"],
    ];
    for (const [name, value] of wrong)
      expectError(await describeIt("told", { [name]: value }), 400, "BAD_REQUEST", name);
  });

  test("keeps the latest versions of a schema, and its removal", async () => {
    for (let i = 1; i <= MAX_VERSIONS + 1; i++)
      await client.expecting(200, put("often", { maxProperties: i }));
    await client.expecting(200, put("often", { maxProperties: MAX_VERSIONS + 1 }));
    await client.expecting(200, client.delete(`${pathOf("often")}/schema`));
    const { data } = await client.expecting(200, client.get(`${pathOf("often")}/schema/versions`));
    expect(data.map((each: Json) => each.version)).toEqual(
      Array.from({ length: MAX_VERSIONS }, (_, i) => MAX_VERSIONS + 2 - i),
    );
    expect(data[0].schema).toBeNull();
    expect(data[1].schema).toEqual({ maxProperties: MAX_VERSIONS + 1 });
    expectError(await client.get(`${pathOf("never")}/schema/versions`), 404, "NOT_FOUND");
  });

  test("warns of a schema that would have refused payloads of the last day", async () => {
    const { id: sent } = await client.send(endpointId, "warned", { amount: "1" });
    await client.send(endpointId, "warned", { amount: 1 });
    const { id: published } = await client.expecting(
      201,
      client.post("/events", { event: "warned", data: {} }),
    );
    await client.send(endpointId, "other", {});
    const check = client.post(`${pathOf("warned")}/schema/check`, { schema: SCHEMA });
    const { data, ...counts } = await client.expecting(200, check);
    expect(counts).toEqual({ examined: 3, refused: 2, warnings: [] });
    expect(data.map(({ id, problem }: Json) => [id, problem])).toEqual([
      [published, "data must have required property 'amount'"],
      [sent, expect.stringContaining("must be number")],
    ]);
    expect((await client.get(pathOf("warned"))).body.schema).toBeNull();
    const { warnings } = await client.expecting(200, put("warned", SCHEMA));
    expect(warnings).toEqual([expect.stringContaining("would have refused 2 of the newest 3 payloads")]);
    const wrong = await client.post(`${pathOf("warned")}/schema/check`, { schema: { minimum: "1" } });
    expectError(wrong, 400, "BAD_REQUEST", "schema");
  });

  test("gives tests their payload, byte for byte", async () => {
    const example = '{ "n" : 12345678901234567890, "a":[1.0] }';
    await client.expecting(200, describeIt("shown", `{"example": ${example}}`));
    const sent = await client.expecting(
      201,
      client.post(`/endpoints/${endpointId}/test`, { event: "shown" }),
    );
    expect(sent.event).toBe("hermod.test");
    expect((await client.get(`/webhooks/${sent.id}`)).text).toContain(`"data":${example}`);
    const without = await client.post(`/endpoints/${endpointId}/test`, { event: "told" });
    expectError(without, 400, "BAD_REQUEST", "event has no example");
    const both = await client.post(`/endpoints/${endpointId}/test`, { event: "shown", data: {} });
    expectError(both, 400, "BAD_REQUEST", "event or data");
  });
});

describe("a document of the catalogue", () => {
  const DOCUMENT = {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    webhooks: {
      "doc.paid": {
        post: {
          description: "Paid",
          tags: ["Orders"],
          requestBody: {
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/Paid" }, example: { id: 1 } },
            },
          },
        },
      },
      "doc.odd": { post: { requestBody: { content: { "application/json": { schema: { minimum: "1" } } } } } },
      "doc.long": { post: { tags: ["a".repeat(DESCRIPTION_LIMITS.group + 1)] } },
      "doc.lost": { $ref: "#/components/pathItems/lost" },
    },
    components: {
      schemas: {
        Paid: { required: ["id"], properties: { id: { $ref: "#/components/schemas/Id" } } },
        Id: { type: "integer" },
      },
    },
  };

  test("is imported, and its export can be imported by another account", async () => {
    const [from, to] = [await service.newClient(), await service.newClient()];
    const { data, ...counts } = await from.expecting(
      200,
      from.post("/catalogue/import", { document: DOCUMENT }),
    );
    expect(counts).toEqual({ imported: 1, refused: 3 });
    expect(data.map(({ event_type, outcome, problem }: Json) => [event_type, outcome, problem])).toEqual([
      ["doc.paid", "imported", undefined],
      ["doc.odd", "refused", expect.stringContaining("its schema")],
      ["doc.long", "refused", expect.stringContaining("group")],
      ["doc.lost", "refused", expect.stringContaining("#/components/pathItems/lost")],
    ]);
    const typeOf = async (of: Client) => {
      const { created_at: _, ...type } = await of.expecting(200, of.get(pathOf("doc.paid")));
      return type;
    };
    expect(await typeOf(from)).toMatchObject({
      description: "Paid",
      group: "Orders",
      example: { id: 1 },
      schema_version: 1,
    });
    expectError(
      await from.post("/events", { event: "doc.paid", data: { id: "1" } }),
      400,
      "BAD_REQUEST",
      "integer",
    );
    for (const format of ["openapi", "asyncapi"]) {
      const document = await from.expecting(200, from.get(`/catalogue/${format}`));
      expect(await to.expecting(200, to.post("/catalogue/import", { document }))).toMatchObject({
        imported: 1,
        refused: 0,
      });
      expect(await typeOf(to)).toEqual(await typeOf(from));
    }
    const { valid, errors } = await new Validator().validate(
      await from.expecting(200, from.get("/catalogue/openapi")),
    );
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  describe("has numbers as they were written", () => {
    const TOKENS = "[12345678901234567890,1.0,1e2,-0.10,0.1000000000000000055,1E+3]";
    const SCHEMA_TEXT = `{"properties":{"n":{"enum":${TOKENS}},"m":{"minimum":1.50,"default":9007199254740993}}}`;
    const EXAMPLE = `{"n":${TOKENS}}`;
    const content = `{"application/json":{"schema":${SCHEMA_TEXT},"example":${EXAMPLE}}}`;
    const document = `{"openapi":"3.1.0","webhooks":{"digits":{"post":{"requestBody":{"content":${content}}}}}}`;
    const expectExact = async (own: Client) => {
      const paths = [pathOf("digits"), "/event-types", "/catalogue/openapi", "/catalogue/asyncapi"];
      for (const path of paths) {
        const { text } = await own.get(path);
        expect(text).toContain(SCHEMA_TEXT);
        expect(text).toContain(EXAMPLE);
      }
      expect((await own.get(`${pathOf("digits")}/schema/versions`)).text).toContain(SCHEMA_TEXT);
      const send = async (n: string) =>
        (await own.post("/events", `{"event":"digits","data":{"n":${n}}}`)).status;
      expect(await Promise.all(["12345678901234567890", "1", "100", "1000.0"].map(send))).toEqual([
        201, 201, 201, 201,
      ]);
      expect(await Promise.all(["12345678901234567891", "0.10000000000000000551"].map(send))).toEqual([
        400, 400,
      ]);
    };

    test("after it was put", async () => {
      const own = await service.newClient();
      await own.expecting(200, own.put(pathOf("digits"), `{"example": ${EXAMPLE}}`));
      const put = await own.put(`${pathOf("digits")}/schema`, `{"schema": ${SCHEMA_TEXT}}`);
      expect(put.text).toContain(SCHEMA_TEXT);
      await expectExact(own);
      const check = await own.post(
        `${pathOf("digits")}/schema/check`,
        '{"schema":{"properties":{"n":{"maximum":12345678901234567889}}}}',
      );
      expect(check.body.data).toMatchObject([{ problem: "data.n must be <= 12345678901234567889" }]);
    });

    test.each([
      ["JSON", `{"document":${document}}`],
      ["YAML", JSON.stringify({ yaml: document })],
    ])("after an import of %s, and of its export", async (_, body) => {
      const [own, other] = [await service.newClient(), await service.newClient()];
      expect(await own.expecting(200, own.post("/catalogue/import", body))).toMatchObject({ imported: 1 });
      await expectExact(own);
      const { text } = await own.get("/catalogue/openapi");
      await other.expecting(200, other.post("/catalogue/import", `{"document":${text}}`));
      await expectExact(other);
    });

    test("that YAML alone has", async () => {
      const own = await service.newClient();
      const example =
        "{a: +0012345678901234567890, b: .50, c: 1., d: 0xFFFFFFFFFFFFFFFFF, e: 0o17, f: 1e400, 1.0: 007}";
      const yaml = `openapi: 3.1.0\nwebhooks: {digits: {post: {requestBody: {content: {application/json: {example: ${example}}}}}}}`;
      await own.expecting(200, own.post("/catalogue/import", { yaml }));
      expect((await own.get(pathOf("digits"))).text).toContain(
        '"example":{"a":12345678901234567890,"b":0.50,"c":1,"d":295147905179352825855,"e":15,"f":1e400,"1.0":7}',
      );
    });
  });

  test("is imported from YAML like from JSON", async () => {
    const own = await service.newClient();
    const yaml = [
      "openapi: 3.1.0",
      "webhooks:",
      "  yaml.paid:",
      "    post: &paid",
      "      description: |",
      "        Paid",
      "        in full",
      "      requestBody:",
      "        content:",
      "          application/json:",
      "            schema: {$ref: '#/components/schemas/Paid'}",
      "            example: {id: 1, on: 2026-01-31, ok: yes}",
      "  yaml.refunded:",
      "    post: {<<: *paid, deprecated: true}",
      "components:",
      "  schemas:",
      "    Paid: {type: object, required: [id]}",
    ].join("\n");
    expect(await own.expecting(200, own.post("/catalogue/import", { yaml }))).toMatchObject({
      imported: 2,
      refused: 0,
    });
    const paid = {
      description: "Paid\nin full\n",
      example: { id: 1, on: "2026-01-31", ok: "yes" },
      schema: { type: "object", required: ["id"] },
    };
    expect((await own.get(pathOf("yaml.paid"))).body).toMatchObject({ ...paid, deprecated: false });
    expect((await own.get(pathOf("yaml.refunded"))).body).toMatchObject({ ...paid, deprecated: true });
  });

  test.each([
    ["openapi: 3.1.0\nwebhooks: {}\nopenapi: 3.1.0", "line 3, column 1"],
    ["openapi: 3.1.0\nwebhooks: {a: {x: [1, .inf]}}", "webhooks.a.x.1 "],
    ["openapi: 3.1.0\nwebhooks: {a: {x: -.NaN}}\nx: .nan", " x must be a number"],
    ["a: [\n", "line 2"],
    ["a: !own 1", "line 1, column 4"],
    ["- openapi: 3.1.0", "must be a mapping"],
    ["a: 1\n---\nb: 1", "single document"],
    ["a: &a [*a]", "nested deeper"],
    ["openapi: 3.1.0", "yaml.webhooks"],
    ["", "1 to 262144 characters"],
    [" ".repeat(262_145), "1 to 262144 characters"],
  ])("in YAML is refused with the place of its fault: %j", async (yaml, place) => {
    expectError(await client.post("/catalogue/import", { yaml }), 400, "BAD_REQUEST", place);
  });

  test("is either JSON or YAML", async () => {
    for (const body of [{}, { document: { openapi: "3.1.0" }, yaml: "openapi: 3.1.0" }])
      expectError(await client.post("/catalogue/import", body), 400, "BAD_REQUEST", "either");
  });

  test("changes nothing that it does not mention, and warns", async () => {
    const own = await service.newClient();
    await own.expecting(200, own.put(pathOf("doc.paid"), { description: "Mine", deprecated: true }));
    await own.expecting(201, own.post("/events", { event: "doc.paid", data: {} }));
    const webhooks = {
      "doc.paid": {
        post: { requestBody: { content: { "application/json": { schema: { required: ["id"] } } } } },
      },
    };
    const { data } = await own.expecting(
      200,
      own.post("/catalogue/import", { document: { openapi: "3.1.0", webhooks } }),
    );
    expect(data[0].warnings).toEqual([expect.stringContaining("would have refused 1")]);
    expect((await own.get(pathOf("doc.paid"))).body).toMatchObject({ description: "Mine", deprecated: true });
  });

  test("refuses each event type that is no JSON object", async () => {
    const own = await service.newClient();
    const webhooks = { "w.num": 1, "w.null": null, "w.str": "x", "w.arr": [], "w.op": { post: 1 }, good: {} };
    const messages = Object.fromEntries(Object.entries(webhooks).filter(([name]) => name !== "w.op"));
    for (const [document, refused] of [
      [{ openapi: "3.1.0", webhooks }, 5],
      [{ asyncapi: "3.0.0", components: { messages } }, 4],
    ] as const) {
      const result = await own.expecting(200, own.post("/catalogue/import", { document }));
      expect(result).toMatchObject({ imported: 1, refused });
      for (const { event_type, problem } of result.data)
        if (event_type !== "good") expect(problem).toEndWith("must be a JSON object");
    }
    expect((await own.get("/event-types")).body.data).toHaveLength(1);
  });

  test.each([
    { openapi: "3.1.0" },
    { openapi: "3.1.0", webhooks: [] },
    { asyncapi: "3.0.0" },
    { asyncapi: "3.0.0", channels: 1, components: { schemas: {} } },
  ])("must have event types: %j", async (document) => {
    expectError(await client.post("/catalogue/import", { document }), 400, "BAD_REQUEST", /^document\./);
  });

  test.each([{}, { openapi: "2.0" }, { asyncapi: "1.2.0" }])(
    "must have a supported version: %j",
    async (document) => {
      expectError(await client.post("/catalogue/import", { document }), 400, "BAD_REQUEST", "document");
    },
  );
});

// Last, since all accounts see what it leaves.
describe("the installation's catalogue", () => {
  test("is seen by every account, whose own fields win over it", async () => {
    const admin = service.admin;
    const common = { description: "For all", group: "Common", example: { amount: 1 } };
    await admin.expecting(200, admin.put("/admin/event-types/common.paid", common));
    await admin.expecting(200, admin.put("/admin/event-types/common.sent", { deprecated: true }));
    const account = await service.newClient();
    const type = await account.expecting(200, account.get(pathOf("common.paid")));
    expect(type).toMatchObject({ ...common, source: "installation", schema: null });
    const { id } = await account.newEndpoint();
    await account.send(id, "common.paid");
    await account.send(id, "own.sent");
    const namesOf = async (of: Client, path = "/event-types") =>
      (await of.expecting(200, of.get(path))).data.map((each: Json) => [each.event_type, each.source]);
    expect(await namesOf(account)).toEqual([
      ["own.sent", "account"],
      ["common.paid", "installation"],
      ["common.sent", "installation"],
    ]);
    expect(await namesOf(account, "/event-types?limit=1")).toEqual([["own.sent", "account"]]);
    const own = await account.expecting(200, account.put(pathOf("common.paid"), { description: "Mine" }));
    expect(own).toMatchObject({ description: "Mine", group: "Common", source: "account" });
    expect((await admin.get("/admin/event-types/common.paid")).body).toMatchObject({
      description: "For all",
    });
    const document = await account.expecting(200, account.get("/catalogue/openapi"));
    expect(Object.keys(document.webhooks)).toEqual(["common.paid", "common.sent"]);
    expect((await account.post(`/endpoints/${id}/test`, { event: "common.paid" })).status).toBe(201);
    expect(await namesOf(admin, "/admin/event-types")).toEqual(
      expect.arrayContaining([["common.paid", "installation"]]),
    );
  });

  test("is enforced for every account, unless the account has a schema of its own", async () => {
    const admin = service.admin;
    const account = await service.newClient();
    const publish = (data: unknown) => account.post("/events", { event: "common.checked", data });
    await account.expecting(201, publish({}));
    await admin.expecting(200, admin.put("/admin/event-types/common.checked/schema", { schema: SCHEMA }));
    expectError(await publish({}), 400, "BAD_REQUEST", "amount");
    await account.expecting(
      200,
      account.put(`${pathOf("common.checked")}/schema`, { schema: { required: ["x"] } }),
    );
    expectError(await publish({ amount: 1 }), 400, "BAD_REQUEST", "'x'");
    await account.expecting(201, publish({ x: 1 }));
    await account.expecting(200, account.delete(`${pathOf("common.checked")}/schema`));
    expectError(await publish({ x: 1 }), 400, "BAD_REQUEST", "amount");
    expectError(await account.delete(`${pathOf("common.checked")}/schema`), 404, "NOT_FOUND");
    await admin.expecting(200, admin.delete("/admin/event-types/common.checked/schema"));
    await account.expecting(201, publish({ x: 1 }));
  });

  test("is imported from a document, by administrators only", async () => {
    const webhooks = { "common.imported": { post: { description: "Imported" } } };
    const body = { document: { openapi: "3.1.0", webhooks } };
    const weak = await service.newClient({ permissions: ["event-types:write", "accounts:act"] });
    expectError(await weak.post("/admin/catalogue/import", body), 403, "FORBIDDEN");
    expectError(await weak.put("/admin/event-types/x", {}), 403, "FORBIDDEN");
    const admin = service.admin;
    expect(await admin.expecting(200, admin.post("/admin/catalogue/import", body))).toMatchObject({
      imported: 1,
    });
    expect((await client.get(pathOf("common.imported"))).body).toMatchObject({ description: "Imported" });
  });
});
