import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv } from "ajv";
import { webhookHeaders } from "../../src/attempt/webhook-request";
import { newId } from "../../src/domain/ids";
import { newSigningSecret } from "../../src/endpoints/signing-secret";
import { ApiDocument } from "../openapi/api-document";
import { recordAttempt } from "./attempts";
import { answerOf, type Json } from "./client";
import { ABSENT } from "./routes";
import { apiRoutes, useService } from "./service";

const service = await useService();
const client = await service.newClient();
const served = await ApiDocument.of(service);
const { json: document, operations } = served;
const ajv = new Ajv({ strict: false, formats: { "date-time": /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ } });
ajv.addSchema(document, "document");

/** Returns every object in a JSON value, with its path. */
function* objectsIn(value: Json, place = "#"): Generator<{ place: string; object: Json }> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield { place, object: value };
  for (const [name, inner] of Object.entries(value)) {
    yield* objectsIn(inner, `${place}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

/** Returns the mismatch of a value with a schema of the document; null if it matches. */
function misfit(schema: Json, value: unknown): string | null {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const validate = ajv.compile(JSON.parse(text));
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** Operations that a receiver's key may call. A repeated `receive` is settled by its receipt. */
const forReceivers = ["receive", "getEndpointLog"];
const isSignIn = (path: string) => ["/v1/sessions", "/v1/portal-sessions/exchange"].includes(path);

describe("the document", () => {
  test("is OpenAPI 3.1, with title and version", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({
      title: "Hermod",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    const known = ["openapi", "info", "servers", "paths", "webhooks", "components", "security", "tags"];
    expect(Object.keys(document).filter((key) => !known.includes(key))).toEqual([]);
  });

  test.each([
    ["/swagger/json", "3.1.0"],
    ["/swagger/openapi-3.0.json", "3.0.3"],
  ])("at %s is valid by the schema of OpenAPI %s itself", async (path, version) => {
    // Validates a copy, since Bun's toMatchObject writes its matchers into the object.
    const { body } = await answerOf(await fetch(`${service.url}${path}`));
    expect(body.openapi).toBe(version);
    const { valid, errors } = await new Validator().validate(body);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  test("has every route, and no other", () => {
    const routes = apiRoutes().filter(({ method, path }) => path.startsWith("/v1") && method !== "ALL");
    const expected = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const open = ["GET /health/live", "GET /health/ready"];
    const actual = operations.map(({ method, path }) => `${method} ${path}`);
    expect(actual.toSorted()).toEqual([...expected, ...open].toSorted());
  });

  test("has no reference without a target", () => {
    const refs = [...objectsIn(document)].filter(({ object }) => "$ref" in object);
    expect(refs.length).toBeGreaterThan(100);
    for (const { place, object } of refs) {
      const beside = Object.keys(object).filter((key) => key !== "$ref" && key !== "description");
      expect({ place, beside }).toEqual({ place, beside: [] });
      expect({ place, found: served.target(object) !== undefined }).toEqual({ place, found: true });
    }
  });

  test("has no component without a reference", () => {
    const text = JSON.stringify(document);
    for (const [kind, named] of Object.entries<Json>(document.components)) {
      if (kind === "securitySchemes") continue;
      for (const name of Object.keys(named)) expect(text).toContain(`"$ref":"#/components/${kind}/${name}"`);
    }
  });

  test("in version 3.0.3 uses only schemas of that version", async () => {
    const later = ["const", "$defs", "patternProperties", "examples", "if", "prefixItems", "propertyNames"];
    const { body } = await answerOf(await fetch(`${service.url}/swagger/openapi-3.0.json`));
    const schemas = [...objectsIn(body)].filter(({ place }) => /\/(schema|schemas\/\w+)(\/|$)/.test(place));
    expect(schemas.length).toBeGreaterThan(100);
    for (const { place, object } of schemas) {
      if (/example/.test(place)) continue;
      expect({ place, later: later.filter((key) => key in object) }).toEqual({ place, later: [] });
      if (!place.endsWith("/properties"))
        expect({ place, type: typeof (object.type ?? "") }).toEqual({ place, type: "string" });
      if ("$ref" in object) expect(Object.keys(object)).toEqual(["$ref"]);
      if (object.type === "array") expect(object.items).toBeObject();
    }
  });

  test("gives every operation a unique name, a tag, a summary and its parameters", () => {
    const all = operations;
    const tags = new Set(document.tags.map(({ name }: { name: string }) => name));
    expect(new Set(all.map(({ spec }) => spec.operationId)).size).toBe(all.length);
    for (const { path, method, spec } of all) {
      expect(tags.has(spec.tags[0])).toBe(true);
      expect(spec.summary.length).toBeGreaterThan(5);
      const parameters = (spec.parameters ?? []).map(served.target);
      const inPath = parameters.filter((each: Json) => each.in === "path");
      expect(inPath.map(({ name }: Json) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      for (const each of parameters) expect(each.schema).toBeObject();
      for (const each of inPath) expect(each.required).toBe(true);
      const names = parameters.map((each: Json) => each.name);
      const isStored =
        (method === "POST" && !isSignIn(path) && spec.operationId !== "receive") ||
        spec.operationId === "putEndpoint";
      expect(names.includes("Idempotency-Key")).toBe(isStored);
      const isBare =
        method === "GET" ||
        method === "DELETE" ||
        /(\}\/(cancel|certify|resend|retry)|\/sessions)$/.test(path);
      expect("requestBody" in spec).toBe(!isBare);
    }
  });

  test("lists every error of an operation, with its headers", () => {
    for (const { path, method, spec } of operations) {
      if (path.startsWith("/health")) continue;
      const keys = forReceivers.includes(spec.operationId)
        ? [{ apiKey: [] }, { receiver: [] }]
        : [{ apiKey: [] }];
      expect(spec.security).toEqual(keys);
      const statuses = Object.keys(spec.responses);
      expect(statuses).toEqual(
        expect.arrayContaining(["400", "401", "403", "413", "421", "429", "500", "503"]),
      );
      if (method === "POST" && !isSignIn(path)) expect(statuses).toContain("409");
      const successes = statuses.filter((status) => Number(status) < 300);
      // An operation that creates or changes answers with one status for each.
      const isUpsert = method === "PUT" && path.endsWith("/{id}");
      const isDryOrNot = path.endsWith("/webhooks/resend");
      const several = isUpsert ? ["200", "201"] : isDryOrNot ? ["200", "202"] : null;
      expect(several ? successes : successes.length).toEqual(several ?? 1);
      if (path.includes("{id}")) expect(statuses).toContain("404");
      for (const [status, response] of Object.entries<Json>(spec.responses)) {
        const { description, content, headers } = served.target(response);
        expect(description.length).toBeGreaterThan(5);
        if (Number(status) >= 400) expect(content["application/json"].schema.$ref).toEndWith("/ErrorAnswer");
        if (status === "429" || status === "503") expect(headers).toHaveProperty("Retry-After");
        expect(headers).toHaveProperty("RateLimit-Remaining");
      }
    }
    expect(document.components.securitySchemes.apiKey).toMatchObject({ type: "http", scheme: "bearer" });
  });

  test("describes the requests to receivers, with their headers", () => {
    const delivery = { id: newId("wh"), event: "a.b", orderingKey: "a", sequence: 1 };
    const request = { webhookId: "wh_1", timestamp: 1, attempt: 1, added: null, body: "{}" };
    const carried = Object.keys(webhookHeaders(delivery, { ...request, secrets: [newSigningSecret()] }));
    for (const name of ["delivery", "feed"]) {
      const { parameters, responses } = document.webhooks[name].post;
      expect(parameters.map((each: Json) => each.name).toSorted()).toEqual(
        carried.filter((each) => each !== "content-type").toSorted(),
      );
      const optional = parameters.filter((each: Json) => !each.required);
      expect(optional.map((each: Json) => each.name)).toEqual(["webhook-event", "webhook-ordering-key"]);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(["2XX", "410", "429", "503", "default"]));
    }
  });

  test("gives no default to a field that keeps its value if it is left out", () => {
    for (const { path, method, spec } of operations) {
      if (method !== "PATCH") continue;
      const { properties } = served.target(spec.requestBody.content["application/json"].schema);
      const defaults = Object.keys(properties).filter((name) => "default" in properties[name]);
      expect({ path, defaults }).toEqual({ path, defaults: [] });
    }
  });

  test("states the length of texts, also of those under free names in a field", () => {
    const bodyOf = (path: string, method: string) =>
      served.target(document.paths[path][method].requestBody.content["application/json"].schema).properties;
    for (const body of [bodyOf("/v1/endpoints", "post"), bodyOf("/v1/endpoints/{id}", "patch")]) {
      expect(body.event_filter).toMatchObject({ minLength: 1, maxLength: 25_699 });
      expect(body.event_types.items).toMatchObject({ minLength: 1, maxLength: 256 });
      expect(body.metadata.additionalProperties).toEqual({
        type: "string",
        maxLength: 512,
        pattern: "^[^\\x00-\\x1f\\x7f]*$",
      });
    }
    expect(Object.keys(bodyOf("/v1/webhooks", "post").data)).toEqual(["description"]);
  });

  test("names every object with fields, so that generators need not invent names", () => {
    const named = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    const objects = [...objectsIn(document)].filter(
      ({ place, object }) => object.type === "object" && object.properties && !/example/.test(place),
    );
    expect(objects.length).toBeGreaterThan(50);
    const free = objects.filter(({ object }) => Object.keys(object.properties).length === 0);
    const unnamed = objects.filter((each) => !free.includes(each) && !named.includes(each.place));
    expect(unnamed.map(({ place }) => place)).toEqual([]);
  });

  test("has no choice between a text and an object, which generators turn into an empty object", () => {
    for (const { place, object } of objectsIn(document)) {
      if (!/\/schemas?(\/|$)/.test(place) || /example/.test(place)) continue;
      const kinds = (object.anyOf ?? object.oneOf ?? []).map(
        (each: Json) => served.target(each).type ?? "object",
      );
      expect({ place, mixed: kinds.includes("string") && kinds.includes("object") }).toEqual({
        place,
        mixed: false,
      });
    }
  });

  test("distinguishes the variants of a model by a required field", () => {
    const choices = [...objectsIn(document.components)].filter(({ object }) => object.discriminator);
    expect(choices.length).toBeGreaterThan(0);
    for (const { object } of choices) {
      const { propertyName, mapping } = object.discriminator;
      expect(object.oneOf.map(({ $ref }: Json) => $ref)).toEqual(Object.values(mapping));
      for (const [value, $ref] of Object.entries(mapping)) {
        const variant = served.target({ $ref });
        expect(variant.required).toContain(propertyName);
        expect(variant.properties[propertyName].enum).toEqual([value]);
      }
    }
  });

  test("gives every request to receivers an operationId of its own", () => {
    const ids = operations.map(({ spec }) => spec.operationId);
    const own = Object.values<Json>(document.webhooks).map(({ post }) => post.operationId);
    expect(own.length).toBeGreaterThan(1);
    expect(new Set([...ids, ...own]).size).toBe(ids.length + own.length);
    expect(own.every((id) => /^[a-z]\w+$/.test(id))).toBe(true);
  });

  test("pre-fills no Idempotency-Key, so that trying an operation twice does it twice", () => {
    for (const each of Object.values<Json>(document.components.parameters))
      expect({ ...each, example: each.example ?? null }).toMatchObject({ in: "header", example: null });
  });

  test("has an example of everything, which fits its schema", () => {
    const contents = [...objectsIn(document)].filter(({ place }) => place.endsWith("/application~1json"));
    expect(contents.length).toBeGreaterThan(40);
    for (const { place, object } of contents) {
      const examples = object.examples
        ? Object.values<Json>(object.examples).map(({ value }) => value)
        : [object.example];
      for (const example of examples) {
        expect({ place, misfit: misfit(object.schema, example) }).toEqual({ place, misfit: null });
      }
    }
  });
});

describe("every answer fits the document", () => {
  const requests: [string, string, string, () => Promise<[string, unknown?]>][] = [
    ["POST", "/endpoints", "201", async () => ["/endpoints", { url: "https://example.com" }]],
    ["GET", "/endpoints", "200", async () => ["/endpoints?limit=1"]],
    ["GET", "/endpoints/{id}", "200", async () => [`/endpoints/${(await client.newEndpoint()).id}`]],
    ["PATCH", "/endpoints/{id}", "200", async () => [`/endpoints/${(await client.newEndpoint()).id}`, {}]],
    [
      "PATCH",
      "/endpoints/{id}",
      "200",
      async () => [
        `/endpoints/${(await client.newEndpoint()).id}`,
        { headers: { "x-a": "b", "x-c": "d" }, sensitive_headers: ["x-c"] },
      ],
    ],
    [
      "POST",
      "/endpoints/{id}/rotate-secret",
      "201",
      async () => [`/endpoints/${(await client.newEndpoint()).id}/rotate-secret`],
    ],
    [
      "POST",
      "/endpoints/{id}/rotate-secret",
      "201",
      async () => [`/endpoints/${(await client.newEndpoint()).id}/rotate-secret`, { overlap: 0 }],
    ],
    ["DELETE", "/endpoints/{id}", "200", async () => [`/endpoints/${(await client.newEndpoint()).id}`]],
    [
      "GET",
      "/endpoints/{id}/stats",
      "200",
      async () => [`/endpoints/${(await client.newEndpoint()).id}/stats`],
    ],
    [
      "GET",
      "/endpoints/{id}/stats",
      "200",
      async () => [`/endpoints/${(await attempted()).endpoint_id}/stats`],
    ],
    [
      "POST",
      "/endpoints/{id}/filter/test",
      "200",
      async () => [`/endpoints/${(await client.newEndpoint()).id}/filter/test`, { filter: "true" }],
    ],
    [
      "POST",
      "/endpoints/{id}/test",
      "201",
      async () => [`/endpoints/${(await client.newEndpoint()).id}/test`, {}],
    ],
    [
      "POST",
      "/webhooks",
      "201",
      async () => ["/webhooks", { endpoint_id: (await client.newEndpoint()).id, data: {} }],
    ],
    [
      "POST",
      "/webhooks/batch",
      "200",
      async () => [
        "/webhooks/batch",
        { webhooks: [{ endpoint_id: (await client.newEndpoint()).id, data: {} }, { data: {} }] },
      ],
    ],
    ["POST", "/events", "201", async () => ["/events", { event: "some.thing", data: {} }]],
    [
      "POST",
      "/events/batch",
      "200",
      async () => ["/events/batch", { events: [{ event: "a", data: {} }, { event: 1 }] }],
    ],
    ["GET", "/events", "200", async () => ["/events"]],
    ["GET", "/events/{id}", "200", async () => [`/events/${await newEvent()}`]],
    ["GET", "/events/{id}/deliveries", "200", async () => [`/events/${await newEvent()}/deliveries`]],
    ["GET", "/events/{id}/missed", "200", async () => [`/events/${await newEvent()}/missed`]],
    ["DELETE", "/events/{id}/payload", "200", async () => [`/events/${await newEvent()}/payload`]],
    ["GET", "/webhooks", "200", async () => ["/webhooks"]],
    ["GET", "/webhooks", "200", async () => ["/webhooks?limit=2"]],
    ["GET", "/webhooks", "200", async () => ["/webhooks?iterator=start&limit=2"]],
    ["POST", "/webhooks/{id}/cancel", "200", async () => [`/webhooks/${(await pending()).id}/cancel`]],
    ["POST", "/webhooks/{id}/retry", "200", async () => [`/webhooks/${(await pending()).id}/retry`]],
    [
      "POST",
      "/endpoints/{id}/retry",
      "200",
      async () => [`/endpoints/${(await client.newEndpoint()).id}/retry`],
    ],
    ["POST", "/webhooks/{id}/resend", "201", async () => [`/webhooks/${(await attempted()).id}/resend`]],
    [
      "GET",
      "/webhooks/{id}",
      "200",
      async () => [`/webhooks/${(await client.post(`/webhooks/${(await attempted()).id}/resend`)).body.id}`],
    ],
    ["GET", "/webhooks/{id}", "200", async () => [`/webhooks/${(await attempted()).id}`]],
    ["GET", "/webhooks/{id}", "200", async () => [`/webhooks/${(await secondInLine()).id}`]],
    ["DELETE", "/webhooks/{id}/payload", "200", async () => [`/webhooks/${(await pending()).id}/payload`]],
    ["GET", "/webhooks/{id}", "200", async () => [`/webhooks/${await erasedId()}`]],
    [
      "POST",
      "/endpoints/{id}/replay",
      "202",
      async () => [`/endpoints/${(await client.newEndpoint()).id}/replay`, { after: "2026-01-01" }],
    ],
    ["POST", "/erasures", "202", async () => ["/erasures", { event: "a" }]],
    ["GET", "/jobs", "200", async () => ["/jobs"]],
    ["GET", "/jobs/{id}", "200", async () => [`/jobs/${await newJobId()}`]],
    ["POST", "/jobs/{id}/cancel", "200", async () => [`/jobs/${await newJobId()}/cancel`]],
    ["GET", "/stats", "200", async () => ["/stats"]],
    ["GET", "/billing/usage", "200", async () => ["/billing/usage"]],
    [
      "PUT",
      "/event-types/{name}/schema",
      "200",
      async () => ["/event-types/some.thing/schema", { schema: {} }],
    ],
    ["GET", "/catalogue/openapi", "200", async () => ["/catalogue/openapi"]],
    ["GET", "/catalogue/asyncapi", "200", async () => ["/catalogue/asyncapi"]],
    [
      "POST",
      "/catalogue/import",
      "200",
      async () => ["/catalogue/import", { document: { openapi: "3.1.0", webhooks: { "some.thing": {} } } }],
    ],
    ["PUT", "/event-types/{name}", "200", async () => ["/event-types/some.thing", { group: "Orders" }]],
    [
      "GET",
      "/event-types/{name}/schema/versions",
      "200",
      async () => ["/event-types/some.thing/schema/versions"],
    ],
    [
      "POST",
      "/event-types/{name}/schema/check",
      "200",
      async () => ["/event-types/some.thing/schema/check", { schema: {} }],
    ],
    ["GET", "/event-types", "200", async () => ["/event-types"]],
    ["GET", "/event-types/{name}", "200", async () => ["/event-types/some.thing"]],
    ["DELETE", "/event-types/{name}/schema", "200", async () => ["/event-types/some.thing/schema"]],
    ["GET", "/me", "200", async () => ["/me"]],
    ["GET", "/activity", "200", async () => ["/activity"]],
    ["GET", "/admin/audit", "200", async () => ["/admin/audit"]],
    ["POST", "/keys", "201", async () => ["/keys", { expires_at: "2999-01-01" }]],
    ["GET", "/keys", "200", async () => ["/keys"]],
    ["PATCH", "/keys/{id}", "200", async () => [`/keys/${await newKeyId()}`, { is_active: false }]],
    ["DELETE", "/keys/{id}", "200", async () => [`/keys/${await newKeyId()}`]],
    ["POST", "/admin/accounts", "201", async () => ["/admin/accounts", { name: "x" }]],
    ["GET", "/admin/accounts", "200", async () => ["/admin/accounts"]],
    ["GET", "/admin/accounts/{id}", "200", async () => [`/admin/accounts/${await newAccountId()}`]],
    [
      "PATCH",
      "/admin/accounts/{id}",
      "200",
      async () => [`/admin/accounts/${await newAccountId()}`, { plan: "pro" }],
    ],
    [
      "POST",
      "/admin/accounts/{id}/keys",
      "201",
      async () => [`/admin/accounts/${await newAccountId()}/keys`, {}],
    ],
    ["GET", "/admin/accounts/{id}/keys", "200", async () => [`/admin/accounts/${await newAccountId()}/keys`]],
    ["DELETE", "/admin/keys/{id}", "200", async () => [`/admin/keys/${await newKeyId()}`]],
    ["GET", "/admin/plans", "200", async () => ["/admin/plans"]],
    [
      "PUT",
      "/admin/plans/{name}",
      "200",
      async () => ["/admin/plans/mine", { requests_per_minute: null, webhooks_per_month: 5 }],
    ],
    ["GET", "/webhooks/{id}", "404", async () => [`/webhooks/${ABSENT.delivery}`]],
    ["POST", "/webhooks", "400", async () => ["/webhooks", {}]],
  ];

  test.each(requests)("%s %s %s", async (method, path, status, prepare) => {
    const [where, body] = await prepare();
    const answer = await client.ask(method, where, body);
    expect({ status: String(answer.status), text: answer.text }).toEqual({ status, text: answer.text });
    const spec = document.paths[`/v1${path}`][method.toLowerCase()];
    const { schema } = served.target(spec.responses[status]).content["application/json"];
    expect(misfit(schema, answer.body)).toBeNull();
    expect(undocumented(schema, answer.body)).toEqual([]);
  });

  const newEvent = async (): Promise<string> => {
    await client.newEndpoint();
    await client.newEndpoint({ event_filter: "other" });
    const event = { event: "some.thing", event_id: crypto.randomUUID(), ordering_key: "o", data: {} };
    return (await client.expecting(201, client.post("/events", event))).id;
  };

  const pending = async () => client.send((await client.newEndpoint()).id, "a.b");

  const newJobId = async () => (await client.expecting(202, client.post("/erasures", { event: "a" }))).id;
  const erasedId = async () => {
    const { id } = await attempted();
    await client.delete(`/webhooks/${id}/payload`);
    return id;
  };

  async function attempted(): Promise<Json> {
    const sent = await client.send((await client.newEndpoint()).id, "a.b");
    await recordAttempt(service.database.db, sent, { status: 500, body: "no" });
    await recordAttempt(service.database.db, sent, { status: 0, error: "timeout", verdict: "failed" });
    return sent;
  }

  async function secondInLine(): Promise<Json> {
    const { id } = await client.newEndpoint();
    const first = await client.send(id);
    await recordAttempt(service.database.db, first, { status: 500 });
    return client.send(id);
  }

  const newKeyId = async () => (await client.expecting(201, client.post("/keys", {}))).id;
  const newAccountId = async () =>
    (await client.expecting(201, client.post("/admin/accounts", { name: "n" }))).id;

  /** Returns the fields of an answer that its schema does not mention. */
  function undocumented(schema: Json, value: Json): string[] {
    const { oneOf, type, properties, items, additionalProperties } = served.target(schema);
    if (additionalProperties) return [];
    if (oneOf)
      return undocumented(
        oneOf.find((each: Json) => misfit(each, value) === null),
        value,
      );
    if (value === null) return [];
    if (type === "array") return value.flatMap((item: Json) => undocumented(items, item));
    if (!properties) return [];
    return Object.entries<Json>(value).flatMap(([name, inner]) =>
      name in properties ? undocumented(properties[name], inner) : [name],
    );
  }
});

describe("a text that the document permits is accepted, and any other is refused", () => {
  type Field = {
    method: string;
    path: string;
    name: string;
    /** Wraps the text, unless the field is the text itself. */
    within?: (text: string) => object;
    right: string[];
    wrong: string[];
  };
  const fields: Field[] = [
    {
      method: "POST",
      path: "/endpoints",
      name: "content_type",
      right: ["application/json", "application/vnd.acme+json"],
      wrong: [
        "",
        "text/json",
        "application/+json",
        "application/xml",
        "application/json; a=b",
        "application/a b+json",
      ],
    },
    {
      method: "POST",
      path: "/endpoints",
      name: "headers",
      within: (text) => ({ "x-a": text }),
      right: ["a", "Bearer s3cret~"],
      wrong: ["", " a", "a ", "a\tb", "é"],
    },
    {
      method: "POST",
      path: "/endpoints",
      name: "url",
      right: ["https://example.com/in?a=b", "HTTP://EXAMPLE.COM", "http://a"],
      wrong: [
        "",
        "example.com",
        "ftp://example.com",
        "http://",
        "https:///a",
        "http://a b",
        "http://a/\u0007",
      ],
    },
    {
      method: "POST",
      path: "/endpoints",
      name: "event_filter",
      right: ["*", "a", "a.*", "a.b.*", "ünï cøde", "..*", "a,b", " a , b.* "],
      wrong: [
        "",
        " ",
        ".*",
        "a*",
        "*.a",
        "a.*.b",
        "**",
        "a\u0000",
        "a\u0085.*",
        "a,,b",
        "a,",
        "a|b",
        "(a)",
        "a[b]",
      ],
    },
    {
      method: "POST",
      path: "/endpoints",
      name: "event_types",
      within: (text) => [text],
      right: ["*", "a.*", "a,b", " a"],
      wrong: ["", "a*", "a|b", "{a}", "\u0085"],
    },
    {
      method: "POST",
      path: "/endpoints",
      name: "signing_secret",
      right: [newSigningSecret()],
      wrong: ["", "secret", newSigningSecret().slice(1), newSigningSecret().replace(/=$/, "-")],
    },
    {
      method: "POST",
      path: "/endpoints",
      name: "description",
      right: ["", "é 😀"],
      wrong: ["\n", "a\u007f"],
    },
    {
      method: "POST",
      path: "/events",
      name: "event",
      right: ["a", "*", "a b"],
      wrong: ["", "a\tb", "\u009f"],
    },
    { method: "POST", path: "/keys", name: "name", right: ["shop"], wrong: ["", "\u001f"] },
    {
      method: "POST",
      path: "/keys",
      name: "expires_at",
      right: ["2999-01-01T00:00:00Z"],
      wrong: ["", "tomorrow"],
    },
    {
      method: "POST",
      path: "/erasures",
      name: "before",
      right: ["2026-01-31T00:00:00Z"],
      wrong: ["", "now"],
    },
    {
      method: "POST",
      path: "/admin/accounts",
      name: "plan",
      right: ["free"],
      wrong: ["", "Free", "-", "a b"],
    },
  ];
  const NEEDED: Record<string, object> = {
    "/endpoints": { url: "https://example.com" },
    "/events": { data: {} },
    "/admin/accounts": { name: "n" },
  };

  test.each(fields)("$name of $path", async ({ method, path, name, within, right, wrong }) => {
    const spec = document.paths[`/v1${path}`][method.toLowerCase()];
    const schema = served.target(spec.requestBody.content["application/json"].schema);
    for (const text of [...right, ...wrong]) {
      const body = { ...NEEDED[path], [name]: within ? within(text) : text };
      const { status } = await client.ask(method, path, body);
      const isRight = right.includes(text);
      // No pattern of the document has the controls after DEL, since engines read them differently.
      const isAllowed = misfit(schema, body) === null && !/[\u0080-\u009f]/.test(text);
      const judged = { text, isTaken: status < 300, isAllowed };
      expect(judged).toEqual({ text, isTaken: isRight, isAllowed: isRight });
      if (!isRight) expect(status).toBe(400);
    }
  });

  test.each([
    [
      "/admin/plans/{name}",
      { requests_per_minute: null, webhooks_per_month: 5 },
      "mine",
      ["Mine", "a b", "_"],
    ],
    ["/event-types/{name}/schema", { schema: {} }, "a b.é", ["a\u0001", "x".repeat(257)]],
  ])("name in %s", async (path, body, right, wrong) => {
    const { schema } = document.paths[`/v1${path}`].put.parameters[0];
    for (const name of [right, ...wrong]) {
      const { status } = await client.put(path.replace("{name}", encodeURIComponent(name)), body);
      expect({ name, status }).toEqual({ name, status: name === right ? 200 : 400 });
      expect({ name, isAllowed: misfit(schema, name) === null }).toEqual({ name, isAllowed: name === right });
    }
  });
});

describe("the page", () => {
  test("loads everything from this service, and may load nothing else", async () => {
    const response = await fetch(`${service.url}/swagger`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; ");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("http");
    const loaded = [...(await response.text()).matchAll(/ (?:src|href)="([^"]+)"/g)].map((match) => match[1]);
    // Except the icon, which is inline: otherwise browsers request it at the root.
    const [icon, ...paths] = loaded;
    expect(icon).toBe("data:,");
    expect(paths).toEqual(["/swagger/ui.css", "/swagger/json", "/swagger/ui.js", "/swagger/start.js"]);
    for (const path of paths) expect((await fetch(`${service.url}${path}`)).status).toBe(200);
  });

  test("has scripts and styles with types that browsers accept", async () => {
    const types = { "ui.js": "text/javascript", "start.js": "text/javascript", "ui.css": "text/css" };
    for (const [name, type] of Object.entries(types)) {
      const { headers } = await fetch(`${service.url}/swagger/${name}`);
      // With it, a browser runs nothing of another type.
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-type")).toStartWith(type);
    }
  });

  test("starts with the document of this service", async () => {
    const started: { url: string }[] = [];
    const script = await (await fetch(`${service.url}/swagger/start.js`)).text();
    new Function("SwaggerUIBundle", script)((configuration: { url: string }) => started.push(configuration));
    expect(started).toMatchObject([{ url: "/swagger/json", validatorUrl: "none" }]);
  });
});
