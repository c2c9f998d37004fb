import { beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { type Answer, answerOf, expectError, type Json } from "../http/client";
import { ABSENT } from "../http/routes";
import { useService } from "../http/service";
import { answerTo } from "../http/wire";
import { ApiDocument, type Operation } from "../openapi/api-document";

/** A mistyped condition that is ignored silently widens an erasure, a key or a list. */

const service = await useService();
const client = await service.newClient();
const document = await ApiDocument.of(service);

/** All operations, at paths where no resource is. */
const operations = document.operations.map((operation) => ({
  ...operation,
  name: `${operation.method} ${operation.path}`,
  path: operation.path.replace(/\{(\w+)\}/, (_, name) => exampleOf(operation.spec, name)),
}));

/** Returns the example of a path parameter. No resource has it. */
function exampleOf({ parameters }: Json, name: string): string {
  return parameters.find((each: Json) => each.in === "path" && each.name === name).example;
}

type Place = { path: string[]; closed: boolean; around: (inner: Json) => Json };

/** Every object of a request's schema with fixed fields, and a body that contains one there. */
function* objectsOf(
  given: Json,
  path: string[] = [],
  around: Place["around"] = (inner) => inner,
): Generator<Place> {
  const schema = document.target(given ?? {});
  const { properties = {}, additionalProperties, items } = schema;
  for (const each of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) yield* objectsOf(each, path, around);
  if (items) yield* objectsOf(items, [...path, "0"], (inner) => around([inner]));
  if (schema.type !== "object" || additionalProperties === true) return;
  if (additionalProperties) {
    yield* objectsOf(additionalProperties, [...path, "x-any"], (inner) => around({ "x-any": inner }));
    return;
  }
  yield { path, closed: additionalProperties === false, around };
  for (const [name, inner] of Object.entries<Json>(properties)) {
    yield* objectsOf(inner, [...path, name], (value) => around({ [name]: value }));
  }
}

const bodyOf = ({ spec }: Operation) => spec.requestBody?.content["application/json"].schema;
/** The names that messages have for parameters whose names the client chooses. */
const FREE: Readonly<Record<string, string>> = { data: "data.<field>", metadata: "metadata.<key>" };
const parametersOf = (operation: Operation): string[] =>
  document
    .parametersOf(operation)
    .flatMap(({ in: place, name, schema }: Json) =>
      place === "query" ? [schema.type === "object" ? FREE[name] : name] : [],
    );

/** Sends a request to a path of the document, with a key. */
async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${client.key}`, "content-type": "application/json" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const init = { method, headers, ...(body !== undefined && { body: text }) };
  return answerOf(await fetch(service.url + path, init));
}

/** Matches the refusal of a request, or of the first item of a batch, that begins like this. */
function expectRefused(answer: Answer, beginning: string): void {
  const refusal = answer.body.results?.[0] ?? { status: answer.status, error: answer.body.error };
  const message = expect.stringMatching(new RegExp(`^${RegExp.escape(beginning)}`));
  expect(refusal).toEqual({ status: 400, error: { code: "BAD_REQUEST", message } });
}

describe("at every operation", () => {
  test("an unknown query parameter is a 400 that names it and the known ones", async () => {
    expect(operations.length).toBeGreaterThan(35);
    for (const operation of operations) {
      const known = parametersOf(operation);
      const answer = await ask(operation.method, `${operation.path}?x_zzzzz=1`);
      const has = known.length === 0 ? "none" : known.join(", ");
      expectRefused(answer, `x_zzzzz is not a query parameter of this operation; it has ${has}`);
    }
  });

  test("a mistyped query parameter is a 400 that names the intended one", async () => {
    for (const operation of operations.filter(({ path }) => !path.startsWith("/health"))) {
      for (const name of parametersOf(operation)) {
        const isFree = name.includes("<");
        const typo = isFree
          ? `${name.slice(0, 3)}.a`
          : name.length > 1
            ? name.slice(0, -1)
            : `${name}${name}`;
        const answer = await ask(operation.method, `${operation.path}?${typo}=1`);
        expectError(answer, 400, "BAD_REQUEST");
        expect(answer.body.error.message).toStartWith(`${typo} is not a query parameter of this operation; `);
        if (!isFree) expect(answer.body.error.message).toEndWith(`did you mean ${name}?`);
      }
    }
  });

  test("a mistyped parameter of a health check is a 400 too, whatever the Host is", async () => {
    for (const host of ["a", ""]) {
      const ask = (query: string) =>
        answerTo(
          service.url,
          `GET /health/ready${query} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        );
      expect(await ask("?require=nats")).toStartWith("HTTP/1.1 200 ");
      expect(await ask("?requires=nats")).toMatch(/^HTTP\/1.1 400 .*did you mean require\?/s);
      expect(await ask("?require=redis")).toMatch(/^HTTP\/1.1 400 .*require must be one of nats/s);
    }
  });

  test("an unknown field is a 400 that names it, even in nested objects", async () => {
    let places = 0;
    for (const operation of operations) {
      for (const { path, closed, around } of objectsOf(bodyOf(operation))) {
        const place = [operation.name, ...path].join(" ");
        expect({ place, closed }).toEqual({ place, closed: true });
        const answer = await ask(operation.method, operation.path, around({ x_zzzzz: 1 }));
        const message = answer.body.results?.[0]?.error.message ?? answer.body.error?.message;
        expect({ place, message }).toEqual({
          place,
          message: expect.stringContaining(
            `${[...path, "x_zzzzz"].join(".")} is not a field of this request; `,
          ),
        });
        expect(answer.body.results?.[0]?.status ?? answer.status).toBe(400);
        places++;
      }
    }
    expect(places).toBeGreaterThan(15);
  });

  test("a field is a 400 if no body is accepted", async () => {
    const bare = operations.filter((operation) => !bodyOf(operation) && operation.method !== "GET");
    expect(bare.length).toBeGreaterThan(5);
    for (const { method, path } of bare) {
      expectRefused(
        await ask(method, path, { force: true }),
        "force is not a field of this request; it has none",
      );
      expectError(await ask(method, path, "[]"), 400, "BAD_REQUEST", "must be a JSON object");
      // Some clients send these with every request.
      for (const nothing of ["", "{}", " { } "]) {
        const answer = await ask(method, path, nothing);
        // Only a browser may begin a session: that refusal comes from the operation itself.
        if (method === "POST" && path === "/v1/sessions")
          expectError(answer, 400, "BAD_REQUEST", "Sessions are for Hermod's own pages");
        else expect(answer.status).toBe(404);
      }
    }
  });
});

describe("the hint", () => {
  let endpointId: string;
  beforeAll(async () => {
    endpointId = (await client.newEndpoint()).id;
  });

  test.each([
    ["/erasures", { endpoint: "ep_x", before: "2026-01-01" }, "endpoint", "did you mean endpoint_id?"],
    ["/erasures", { event_type: "a" }, "event_type", "did you mean event?"],
    ["/keys", { permission: ["stats:read"] }, "permission", "did you mean permissions?"],
    ["/keys", { expiresAt: "2030-01-01" }, "expiresAt", "did you mean expires_at?"],
    ["/keys", { ttl: 60 }, "ttl", "it has name, permissions, expires_at"],
    ["/webhooks", { endpoint_id: ABSENT.endpoint, evnt: "a", data: {} }, "evnt", "did you mean event?"],
    ["/events", { event: "a", endpoint_id: ABSENT.endpoint, data: {} }, "endpoint_id", "it has event, "],
    [
      "/endpoints",
      { url: "https://example.com", eventFilters: "a" },
      "eventFilters",
      "did you mean event_filter?",
    ],
    ["/endpoints", { ulr: "https://example.com" }, "ulr", "did you mean url?"],
    ["/admin/accounts", { name: "a", paln: "pro" }, "paln", "did you mean plan?"],
  ])("at %s %j names the field meant by %s", async (path, body, name, hint) => {
    expectRefused(await client.post(path, body), `${name} is not a field of this request; ${hint}`);
  });

  test("for a replay comes before a delivery is sent or a job is made", async () => {
    const answer = await client.post(`/endpoints/${endpointId}/replay`, { since: "2026-01-01" });
    expectRefused(answer, "since is not a field of this request; it has after, before, event, ");
    expect((await client.get("/jobs")).body.data).toEqual([]);
  });

  test("names the item of a batch, and the others are accepted", async () => {
    const items = [
      { endpoint_id: endpointId, data: {} },
      { endpoint_id: endpointId, dta: {} },
    ];
    const { results } = await client.expecting(200, client.post("/webhooks/batch", { webhooks: items }));
    expect(results).toEqual([
      { status: 201, webhook: expect.anything() },
      {
        status: 400,
        error: {
          code: "BAD_REQUEST",
          message: "webhooks.1.dta is not a field of this request; did you mean webhooks.1.data?",
        },
      },
    ]);
    const events = [
      { event: "a", data: {} },
      { event: "a", data: {}, x_zzzzz: 1 },
    ];
    const published = await client.expecting(200, client.post("/events/batch", { events }));
    expect(published.results[1].error.message).toStartWith("events.1.x_zzzzz is not a field");
    const whole = await client.post("/webhooks/batch", { webhooks: items, dry_run: true });
    expectRefused(whole, "dry_run is not a field of this request; it has webhooks");
  });

  test.each([
    ["__proto__", '{"__proto__":{"event":"a"},"after":"2026-01-01"}'],
    ["constructor", '{"constructor":1}'],
    ['""', '{"":1}'],
    ['"a\\u0000\\u009f\\ud800"', '{"a\\u0000\\u009f\\ud800":1}'],
    [`${"x".repeat(64)}…`, JSON.stringify({ ["x".repeat(100_000)]: 1 })],
  ])("escapes a strange name: %s", async (shown, body) => {
    const answer = await client.post("/erasures", body);
    expectRefused(answer, `${shown} is not a field of this request; it has after, before, event, `);
  });
});

test("fields of payloads, metadata, schemas and header names are the client's own", async () => {
  const own = { anything: { at: ["all"] } };
  const { id } = await client.newEndpoint({ metadata: { anything: "x" }, headers: { "x-any": "v" } });
  await client.expecting(201, client.post("/webhooks", { endpoint_id: id, data: own }));
  await client.expecting(201, client.post(`/endpoints/${id}/test`, { data: own }));
  await client.expecting(200, client.put("/event-types/own/schema", { schema: { "x-own": own } }));
  await client.expecting(200, client.get("/webhooks?data.anything=1&data.%3Codd%3E=2"));
});

test("a GET with a body is a 400, since its conditions would be ignored", async () => {
  const { hostname, port } = new URL(service.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /v1/webhooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.key}\r\n` +
          'Connection: close\r\nContent-Length: 19\r\n\r\n{"status":"failed"}',
      ),
    );
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
  expect(answer).toStartWith("HTTP/1.1 400 ");
  expect(answer).toContain("A GET takes no body");
});
