import { expect, test } from "bun:test";
import fc from "fast-check";
import { ApiDocument, type Operation } from "../openapi/api-document";
import { type Answer, answerOf, type Json } from "./client";
import { bodiesOf, ENCODED, valuesOf } from "./fuzz";
import { useService } from "./service";

/** Sends structured garbage to every operation of the OpenAPI document, so that new ones are included. */
const RUNS = 15;

type Request = {
  path: string;
  query: string;
  body: string | Uint8Array | undefined;
  headers: Record<string, string>;
};

const logged: unknown[] = [];

const base = await useService();
const log = { ...base.dependencies.log, error: (...what: unknown[]) => logged.push(what) };
const service = await useService({ beside: base, dependencies: { log: log as never } });
const client = await service.newClient();
const document = await ApiDocument.of(service);

/** Real objects for every path parameter, so that not every request is a 404. */
async function realIds(): Promise<string[]> {
  const endpoint = await client.newEndpoint();
  const sent = await client.send(endpoint.id, "fuzz.sent");
  const key = await client.expecting(201, client.post("/keys", { name: "fuzz" }));
  const account = await client.expecting(201, client.post("/admin/accounts", { name: "fuzz" }));
  return [endpoint.id, sent.id, key.id, account.id, "fuzz"];
}

const HEADERS = fc.record(
  {
    "content-type": fc.constantFrom("application/json", "application/json; charset=utf-16", "text/plain"),
    "idempotency-key": fc.constantFrom("a", "b", "é", "x".repeat(256), "constructor"),
  },
  { requiredKeys: [] },
);

function requestsTo(operation: Operation, ids: readonly string[]): fc.Arbitrary<Request> {
  const { path, spec } = operation;
  const parameters = document.parametersOf(operation);
  const content = spec.requestBody?.content["application/json"];
  const noise = fc.uint8Array({ maxLength: 100 });
  return fc.record({
    path: filled(path, fc.oneof({ weight: 4, arbitrary: ownIds(path, ids) }, ENCODED)),
    query: queries(parameters.filter((each: Json) => each.in === "query")),
    body: content
      ? fc.oneof(
          { weight: 9, arbitrary: bodiesOf(document.resolved(content.schema), exampleOf(content, ids)) },
          noise,
        )
      : fc.constant(undefined),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, HEADERS),
  });
}

/** Usually of the kind that the path needs. */
function ownIds(path: string, ids: readonly string[]): fc.Arbitrary<string> {
  const kinds = { endpoints: "ep_", webhooks: "wh_", keys: "key_", accounts: "acc_" };
  const prefix = Object.entries(kinds).find(([name]) => path.includes(`/${name}/{`))?.[1] ?? "fuzz";
  const own = ids.filter((id) => id.startsWith(prefix));
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...own) }, fc.constantFrom(...ids));
}

/** The document's, with an endpoint that is there. */
function exampleOf({ example }: Json, [endpointId]: readonly string[]): Json {
  return JSON.parse(JSON.stringify(example).replaceAll(/"ep_\w+"/g, `"${endpointId}"`));
}

function filled(path: string, segment: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const places = path.split(/\{\w+\}/);
  return fc
    .tuple(...places.slice(1).map(() => segment))
    .map((segments) => places.map((part, i) => part + (segments[i] ?? "")).join(""));
}

function queries(parameters: Json[]): fc.Arbitrary<string> {
  const pairs = parameters.map(({ name, schema }) =>
    fc
      .oneof(
        valuesOf(schema).map((value) => encodeURIComponent(textOf(value))),
        ENCODED,
      )
      .map((value) => `${name}=${value}`),
  );
  const strange = fc.tuple(ENCODED, ENCODED).map(([name, value]) => `${name}=${value}`);
  return fc.array(fc.oneof(...pairs, strange), { maxLength: 3 }).map((all) => all.join("&"));
}

function textOf(value: unknown): string {
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed();
}

async function send(method: string, { path, query, body, headers }: Request): Promise<Answer> {
  const response = await fetch(`${service.url}${path}${query && `?${query}`}`, {
    method,
    headers: { authorization: `Bearer ${client.key}`, "content-type": "application/json", ...headers },
    redirect: "manual",
    ...(body !== undefined && { body }),
  });
  if (!isStream(response)) return answerOf(response);
  await response.body?.cancel();
  return { status: response.status, headers: response.headers, body: null, text: "" };
}

/** Server-sent events: the answer lasts until its reader ends it. */
function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function expectPublished({ status, body, headers, text }: Answer, { spec }: Operation): void {
  // Answers beyond the operation's: the path is no longer one of its own.
  const known = [...Object.keys(spec.responses), "404"];
  expect({ known: known.includes(String(status)), status, text }).toMatchObject({ known: true });
  expect(status).toBeLessThan(500);
  if (status < 400) {
    expect(Object.keys(spec.responses[status].content)).toContain(
      headers.get("content-type")?.split(";")[0] ?? "",
    );
    return;
  }
  expect(headers.get("content-type")).toBe("application/json");
  expect(body).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
  const published = document.resolved(document.json.components.schemas.ErrorAnswer).properties.error
    .properties.code.enum;
  expect(published).toContain(body.error.code);
}

test("any request to any operation gets a published answer", async () => {
  const all = document.operations;
  expect(all.length).toBeGreaterThan(25);
  const taken = new Set<Operation>();
  for (const operation of all) {
    const requests = requestsTo(operation, await realIds());
    const check = fc.asyncProperty(requests, async (request) => {
      const answer = await send(operation.method, request);
      expectPublished(answer, operation);
      if (answer.status < 300) taken.add(operation);
    });
    await fc.assert(check, { numRuns: RUNS });
  }
  expect(logged).toEqual([]);
  // Garbage alone would not pass the first check.
  expect(taken.size).toBeGreaterThan(all.length / 2);
  expect((await client.get("/stats")).status).toBe(200);
});
