import { expect, test } from "bun:test";
import { BATCH_MAX_ITEMS } from "../../src/api/batch";
import { CAPABILITIES } from "../../src/domain/portal";
import { createApp } from "../../src/resources/app";
import { newPortalSession } from "../http/portal-session";
import { useService } from "../http/service";
import { ApiDocument } from "../openapi/api-document";
import { atEnd } from "../support/at-end";
import { dearBodies, dearHeaders, dearQueries } from "../support/dear-requests";
import { slowness } from "../support/slowness";
import { watchStalls } from "../support/spent";

/** Most CPU of a request, in milliseconds. */
const MOST_MS = 200;
/** Most CPU of the main thread in a row, in milliseconds, while nobody else is answered. */
const MOST_STALL_MS = 50;
/** A machine that is busy with something else makes a measurement longer, never shorter. */
const MEASUREMENTS = 3;
/** An answer may be this much longer than twice its request, in bytes. */
const ANSWER_ROOM = 16_384;
/** A batch answers this much more for each item, however short the item is: a status and an error. */
const ITEM_ROOM = 100;

/** Operations that answer every item. */
const BATCHES = ["sendWebhooks", "publishEvents"];

const stalls = watchStalls();

const service = await useService();
const client = await service.newClient();
const app = createApp(service.dependencies);
const document = await ApiDocument.of(service);
const endpoint = (await client.newEndpoint()).id;
const ids: { endpoint: string; webhook: string } = {
  endpoint,
  webhook: (await client.send(endpoint, "a")).id,
};
atEnd(() => stalls.stop());

type Cost = { ms: number; stall: number; answer: number; status: number };

/** Measures one request. Its time includes that of every thread of this process. */
async function costOf(request: Request): Promise<Cost> {
  stalls.reset();
  const before = process.cpuUsage();
  const response = await app.handle(request);
  const answer = await lengthOf(response);
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, stall: stalls.most(), answer, status: response.status };
}

/** A live stream has no end. */
async function lengthOf(response: Response): Promise<number> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
    return (await response.arrayBuffer()).byteLength;
  await response.body?.cancel();
  return 0;
}

/** Measures a request that seems too dear again, since garbage of another may have been collected meanwhile. */
async function settledCostOf(make: () => Request): Promise<Cost> {
  let cost = await costOf(make());
  for (let i = 1; i < MEASUREMENTS && (cost.ms > MOST_MS || cost.stall > MOST_STALL_MS); i++) {
    Bun.gc(true);
    const again = await costOf(make());
    const slower = slowness();
    const [ms, stall] = [again.ms / slower, again.stall / slower];
    cost = { ...again, ms: Math.min(cost.ms, ms), stall: Math.min(cost.stall, stall) };
  }
  return cost;
}

type Tried = {
  /** Bytes that the answer may have beside twice the request. */
  room?: number;
  name: string;
  url: string;
  init: RequestInit & { headers: Record<string, string>; body?: string };
};

/** Returns the requests that cost more than their size says. */
async function dearOnes(requests: Iterable<Tried>): Promise<string[]> {
  const dear: string[] = [];
  for (const { name, url, init, room = ANSWER_ROOM } of requests) {
    const length = url.length + (init.body?.length ?? 0) + JSON.stringify(init.headers).length;
    const cost = await settledCostOf(() => new Request(url, init));
    const isDear = cost.ms > MOST_MS || cost.stall > MOST_STALL_MS || cost.status >= 500;
    if (isDear || cost.answer > 2 * length + room) dear.push(`${name} (${length}): ${JSON.stringify(cost)}`);
    if (process.env.SHOW_COST && cost.stall > 20) console.log(name, length, JSON.stringify(cost));
  }
  return dear;
}

/** Returns a function that is true for each text once. */
function once(): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => !seen.has(text) && seen.add(text) !== undefined;
}

function urlOf(path: string): string {
  return `http://localhost${path
    .replace("/endpoints/{id}", `/endpoints/${ids.endpoint}`)
    .replace("/webhooks/{id}", `/webhooks/${ids.webhook}`)
    .replaceAll(/\{\w+\}/g, "cost")}`;
}

/** The dear requests of every operation of the document, and of the same kind of field once. */
function* requestsWith(
  headers: Record<string, string>,
  isTried: (path: string) => boolean,
): Generator<Tried> {
  const isNew = once();
  for (const operation of document.operations) {
    const { id, method, path, spec } = operation;
    if (!isTried(path)) continue;
    const url = urlOf(path);
    const content = spec.requestBody?.content["application/json"];
    const room = ANSWER_ROOM + (BATCHES.includes(id) ? ITEM_ROOM * BATCH_MAX_ITEMS : 0);
    if (content)
      for (const [kind, body] of dearBodies(document.resolved(content.schema), content.example, isNew))
        yield { room, name: `${id}, ${kind}`, url, init: { method, headers, body } };
    const body = content && JSON.stringify(content.example);
    for (const [kind, query] of dearQueries(document.parametersOf(operation), isNew))
      yield { room, name: `${id}, ${kind}`, url: `${url}?${query}`, init: { method, headers, body } };
  }
}

const JSON_TYPE = { "content-type": "application/json" };

test("every operation costs what its size says, whatever its body and its query", async () => {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${client.key}` };
  expect(await dearOnes(requestsWith(headers, () => true))).toEqual([]);
});

test("a portal session's requests cost what their size says", async () => {
  const link = { endpoint_ids: [ids.endpoint], capabilities: Object.keys(CAPABILITIES) };
  const headers = await newPortalSession(service, client, link);
  const inReach = /^\/v1\/(endpoints|webhooks\/resend|event-types$)/;
  expect(await dearOnes(requestsWith(headers, (path) => inReach.test(path)))).toEqual([]);
});

test("the longest headers cost what their size says, at every path outside /v1 and some within", async () => {
  const open = app.routes.map(({ path }) => path).filter((path) => !path.startsWith("/v1"));
  const paths = [...new Set(open), "/v1/me", "/v1/webhooks", "/v1/webhooks/tail", "/v1/nothing"];
  const isDocument = /swagger|openapi|assets/;
  const requests = paths
    .filter((path) => !isDocument.test(path))
    .flatMap((path) =>
      dearHeaders().map(([kind, headers]): Tried => {
        const method = path === "/v1/webhooks" ? "POST" : "GET";
        const all = { authorization: `Bearer ${client.key}`, ...headers };
        return {
          name: `${path}, ${kind}`,
          url: `http://localhost${path.replaceAll(/[:*]\w*/g, "cost")}`,
          init: { method, headers: all, ...(method === "POST" && { body: "{}" }) },
        };
      }),
    );
  expect(await dearOnes(requests)).toEqual([]);
});
