import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApp } from "../../src/http/app";
import { BATCH_MAX_ITEMS } from "../../src/http/batch";
import type { Client, Json } from "../http/client";
import { startTestService, type TestService } from "../http/service";
import { dearBodies, dearQueries } from "../support/dear-requests";

/** Most CPU of a request, in milliseconds. */
const MOST_MS = 200;
/** An answer may be this much longer than twice its request, in bytes. */
const ANSWER_ROOM = 16_384;
/** A batch answers this much more for each item, however short the item is: a status and an error. */
const ITEM_ROOM = 100;

/** Operations that answer every item. */
const BATCHES = ["sendWebhooks", "publishEvents"];

/** Answers without an end. */
const STREAMS = /\/tail$/;

let service: TestService;
let client: Client;
let app: ReturnType<typeof createApp>;
let document: Json;

beforeAll(async () => {
  service = await startTestService();
  client = await service.newClient();
  app = createApp(service.dependencies);
  document = await (await app.handle(new Request("http://localhost/swagger/json"))).json();
});
afterAll(() => service.stop());

type Operation = { id: string; method: string; path: string; spec: Json };

function operations(): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, spec]) => {
      return { id: spec.operationId, path, method: method.toUpperCase(), spec };
    }),
  );
}

function resolved(node: Json): Json {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node.$ref === "string") {
    const at = node.$ref.slice(2).split("/");
    return resolved(at.reduce((inner: Json, step: string) => inner?.[step], document));
  }
  return Object.fromEntries(Object.entries<Json>(node).map(([name, inner]) => [name, resolved(inner)]));
}

type Cost = { ms: number; answer: number; status: number };

/** Measures one request. Its time includes that of every thread of this process. */
async function costOf(request: Request): Promise<Cost> {
  const before = process.cpuUsage();
  const response = await app.handle(request);
  const { byteLength } = await response.arrayBuffer();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, answer: byteLength, status: response.status };
}

/** Measures a request that seems too dear again, since garbage of another may have been collected meanwhile. */
async function settledCostOf(make: () => Request): Promise<Cost> {
  const first = await costOf(make());
  if (first.ms <= MOST_MS) return first;
  Bun.gc(true);
  const second = await costOf(make());
  return second.ms < first.ms ? second : first;
}

test("every operation costs what its size says, whatever its body and its query", async () => {
  const endpoint = await client.newEndpoint();
  const ids = { endpoints: endpoint.id, webhooks: (await client.send(endpoint.id, "a")).id };
  const dear: string[] = [];
  for (const { id, method, path, spec } of operations()) {
    if (!path.startsWith("/v1") || STREAMS.test(path)) continue;
    const at = `http://localhost${path
      .replace("/endpoints/{id}", `/endpoints/${ids.endpoints}`)
      .replace("/webhooks/{id}", `/webhooks/${ids.webhooks}`)
      .replaceAll(/\{\w+\}/g, "cost")}`;
    const headers = { authorization: `Bearer ${client.key}`, "content-type": "application/json" };
    const content = spec.requestBody?.content["application/json"];
    const requests = content
      ? dearBodies(resolved(content.schema), content.example).map(([kind, body]) => ({ kind, url: at, body }))
      : dearQueries((spec.parameters ?? []).map(resolved)).map(([kind, query]) => {
          return { kind, url: `${at}?${query}`, body: undefined };
        });
    const room = ANSWER_ROOM + (BATCHES.includes(id) ? BATCH_MAX_ITEMS * ITEM_ROOM : 0);
    for (const { kind, url, body } of requests) {
      const length = url.length + (body?.length ?? 0);
      const cost = await settledCostOf(
        () => new Request(url, { method, headers, ...(body !== undefined && { body }) }),
      );
      const isDear = cost.ms > MOST_MS || cost.answer > 2 * length + room || cost.status >= 500;
      if (isDear) dear.push(`${id}, ${kind} (${length}): ${JSON.stringify(cost)}`);
      if (process.env.SHOW_COST && cost.ms > 50) console.log(id, kind, length, JSON.stringify(cost));
    }
  }
  expect(dear).toEqual([]);
});
