import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { CloudEvent, HTTP } from "cloudevents";
import { rawJson, verify } from "../../src/client";
import { broken, hangs, healthy, slow } from "../support/faults/behaviour";
import { check } from "../support/faults/checker/check";
import { Cluster, KEY } from "../support/faults/cluster";
import { fieldOf, textIn } from "../support/faults/hermod-client";
import { Load } from "../support/faults/load";
import { Random } from "../support/faults/random";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

let cluster: Cluster;
const loads: Pick<Load, "sends">[] = [];

beforeAll(async () => {
  // Defaults that would fail every test here: the endpoints' own settings must win.
  const env = { HERMOD_RETRY_SCHEDULE: "1h", HERMOD_ATTEMPT_TIMEOUT: "1m" };
  cluster = await Cluster.start({ postgres: "shared", env });
  await cluster.launch("all", "all");
});

afterAll(() => cluster[Symbol.asyncDispose]());

function newLoad(endpoints: readonly string[]): Load {
  const apis = [cluster.client.baseUrl];
  const load = new Load({ apis, key: KEY, endpoints, random: new Random(12), workers: 8 });
  loads.push(load);
  return load;
}

/** Waits until a delivery has ended, and returns its attempts. */
async function attemptsOf(webhookId: string): Promise<unknown[]> {
  const ended = async () => {
    const { body } = await cluster.client.ask("GET", `/webhooks/${webhookId}`);
    return fieldOf(body, "status") !== "pending" && fieldOf(body, "attempts");
  };
  const attempts = await until(ended, { what: "the end of a delivery" });
  return Array.isArray(attempts) ? attempts : [];
}

async function sendOne(endpoint: string): Promise<string> {
  const load = newLoad([endpoint]);
  await load.sendAll(1);
  const outcome = load.sends[0]?.outcome;
  if (outcome?.kind !== "accepted") throw new Error("the send was not accepted");
  return outcome.id;
}

test("an endpoint's own retry schedule wins, and a changed one applies to the next delivery", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, broken, { retry_schedule_ms: [200, 1_500] });
  expect(await attemptsOf(await sendOne(endpoint))).toHaveLength(3);
  const starts = cluster.book.of(endpoint).map(({ startedAt }) => startedAt);
  const waits = starts.slice(1).map((at, i) => at - (starts[i] ?? at));
  expect(waits[0]).toBeWithin(170, 1_000);
  expect(waits[1]).toBeWithin(1_300, 5_000);

  await cluster.client.changeEndpoint(endpoint, { retry_schedule_ms: [] });
  expect(await attemptsOf(await sendOne(endpoint))).toHaveLength(1);
});

test("an endpoint's own timeout ends an attempt", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, hangs, { retry_schedule_ms: [], timeout_ms: 150 });
  const [attempt] = await attemptsOf(await sendOne(endpoint));
  expect(attempt).toMatchObject({ status: 0, error: "timeout" });
  expect(fieldOf(attempt, "duration_ms")).toBeWithin(140, 2_000);
});

test("a rate limit spreads deliveries over seconds, and keeps their order", async () => {
  const rate_limit = 12;
  const spanOf = async (tuning: Record<string, number>) => {
    const [endpoint = ""] = await cluster.newEndpoints(1, healthy, tuning);
    await newLoad([endpoint]).sendAll(2 * rate_limit);
    await cluster.settled();
    const starts = cluster.book.of(endpoint).map(({ startedAt }) => startedAt);
    return (starts.at(-1) ?? 0) - (starts[0] ?? 0);
  };
  const unlimited = await spanOf({});
  // The limit is used up: about a second passes between the first and the last delivery.
  expect(await spanOf({ rate_limit })).toBeWithin(750, 3_000 + 10 * unlimited);
});

test("a rate limit below one a second leaves that time between deliveries", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, healthy, { rate_limit: 0.8 });
  await newLoad([endpoint]).sendAll(3);
  await cluster.settled();
  const [first = 0, , third = 0] = cluster.book.of(endpoint).map(({ startedAt }) => startedAt);
  expect(third - first).toBeGreaterThan(2 * 1_250 - 250);
});

test("a test event is a delivery like the others, and keeps the order", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, slow(50), { event_filter: "load.*" });
  const before = newLoad([endpoint]);
  await before.sendAll(3);
  const startedAt = Date.now();
  const { status, body } = await cluster.client.ask("POST", `/endpoints/${endpoint}/test`, {});
  expect(status).toBe(201);
  await newLoad([endpoint]).sendAll(2);
  await cluster.settled();
  const receipts = cluster.book.of(endpoint);
  expect(receipts.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
  const [{ body: data = "" } = {}] = receipts.slice(3);
  expect(JSON.parse(data)).toMatchObject({ test: true });
  const outcome = { kind: "accepted", id: textIn(body, "id") } as const;
  const endedAt = Date.now();
  loads.push({ sends: [{ marker: "test", endpoint, orderingKey: null, data, startedAt, endedAt, outcome }] });
});

test("no test above broke a promise", async () => {
  await cluster.settled();
  expect(check(await cluster.evidence(loads))).toEqual([]);
});

const PAYLOADS = ['{"n":12345678901234567890.10, "\\u00e9":1}', "[1, 2]", '"text"', "null"];
const LARGE = `["${"x".repeat(100_000)}"]`;

/** Sends payloads to a new endpoint with these settings. Returns what arrived, in order. */
async function arrivalsAt(settings: Record<string, unknown>, payloads: readonly string[], event?: string) {
  const arrived: { headers: Headers; body: string }[] = [];
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      arrived.push({ headers: request.headers, body: await request.text() });
      return new Response();
    },
  });
  const { client } = cluster;
  const { endpoint, secret } = await client.newEndpoint(receiver.url.href, settings);
  const sent: string[] = [];
  for (const payload of payloads) {
    const send = { endpoint_id: endpoint, data: rawJson(payload), ...(event !== undefined && { event }) };
    sent.push((await client.api.webhooks.send(send)).id);
  }
  await until(() => arrived.length === payloads.length, { what: "all deliveries" });
  await receiver.stop();
  // The receiver has answered before its answer is recorded.
  await Promise.all(sent.map(attemptsOf));
  const deliveries = await Promise.all(sent.map((id) => client.api.webhooks.get(id)));
  return arrived.map((each, i) => {
    const delivery = deliveries[i];
    if (delivery === undefined) throw new Error("more arrived than was sent");
    return {
      ...each,
      payload: payloads[i] ?? "",
      delivery,
      verified: verify(each.body, each.headers, secret),
    };
  });
}

test("an envelope has the type under the signature, and the payload byte for byte, whatever JSON it is", async () => {
  const settings = { format: "envelope", content_type: "application/vnd.acme+json" };
  for (const each of await arrivalsAt(settings, [...PAYLOADS, LARGE], "a.b")) {
    const { id, created_at } = each.delivery;
    expect(each.body).toBe(`{"id":"${id}","type":"a.b","timestamp":"${created_at}","data":${each.payload}}`);
    expect(each.verified.data).toMatchObject({ type: "a.b" });
    expect(each.headers.get("content-type")).toBe("application/vnd.acme+json");
  }
});

test("a CloudEvent is one to its JavaScript SDK, structured and binary, with the payload byte for byte", async () => {
  const { body: me } = await cluster.client.ask("GET", "/me");
  const source = `urn:hermod:${textIn(fieldOf(me, "account"), "id")}`;
  for (const format of ["cloudevents", "cloudevents_binary"]) {
    const arrivals = await arrivalsAt({ format }, [...PAYLOADS, LARGE], "ordre créé: 5 %");
    for (const { headers, body, payload, delivery } of arrivals) {
      const [event] = [HTTP.toEvent({ headers: Object.fromEntries(headers), body })].flat();
      if (!(event instanceof CloudEvent)) throw new Error("the SDK reads no event");
      expect(event.validate()).toBe(true);
      const { id, created_at } = delivery;
      expect(event).toMatchObject({ id, source, time: created_at, datacontenttype: "application/json" });
      const { type, data = null } = event;
      expect(format === "cloudevents" ? type : decodeURIComponent(type)).toBe("ordre créé: 5 %");
      // In the binary mode the SDK leaves a null as it is.
      expect(data === "null" ? null : data).toEqual(JSON.parse(payload));
      expect(body).toEndWith(format === "cloudevents" ? `,"data":${payload}}` : payload);
    }
  }
});

test("a CloudEvent has the endpoint's content type, and a type without an event, and shows what was sent", async () => {
  const settings = { content_type: "application/vnd.acme+json", headers: { "ce-subject": "a/1" } };
  const [structured] = await arrivalsAt({ ...settings, format: "cloudevents" }, ["{}"]);
  expect(structured?.headers.get("content-type")).toBe("application/cloudevents+json");
  expect(JSON.parse(structured?.body ?? "")).toMatchObject({
    type: "webhook",
    datacontenttype: "application/vnd.acme+json",
  });
  const [binary] = await arrivalsAt({ ...settings, format: "cloudevents_binary" }, ["{}"]);
  const shown = binary?.delivery.attempts[0]?.request_headers;
  for (const headers of [Object.fromEntries(binary?.headers ?? []), shown])
    expect(headers).toMatchObject({
      "content-type": "application/vnd.acme+json",
      "ce-type": "webhook",
      "ce-specversion": "1.0",
      "ce-subject": "a/1",
    });
  // Payloads are no CloudEvents themselves.
  const wrong = { content_type: "application/cloudevents+json", format: "cloudevents_binary" };
  const [corrected] = await arrivalsAt(wrong, ["{}"]);
  expect(corrected?.headers.get("content-type")).toBe("application/json");
});
