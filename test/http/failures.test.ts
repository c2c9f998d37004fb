import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DatabaseUnavailable } from "../../src/db/database";
import { QueueFull } from "../../src/runtime/batcher";
import { type Answer, answerOf, type Client, expectError } from "./client";
import { startTestService, type TestService } from "./service";

const SECRET = "relation hidden_things at 10.0.0.7";

let thrown: unknown = new Error(SECRET);
const logged: unknown[] = [];
let ready = { postgres: true, nats: true };
let service: TestService;
let client: Client;
let endpointId: string;

/** Refuses everything with `thrown`. */
const broken = () => new Proxy({}, { get: () => async () => Promise.reject(thrown) }) as never;

beforeAll(async () => {
  const working = await startTestService();
  service = await startTestService({
    beside: working,
    dependencies: {
      intake: broken(),
      deliveries: broken(),
      stats: broken(),
      usage: broken(),
      endpoints: broken(),
      eventTypes: broken(),
      readiness: async () => ready,
      log: {
        ...working.dependencies.log,
        debug: () => {},
        error: (what: unknown) => logged.push(what),
      } as never,
    },
  });
  client = await service.newClient();
  const there = await working.newClient();
  endpointId = (await there.newEndpoint()).id;
  stopWorking = working.stop;
});
let stopWorking = async () => {};
afterAll(async () => {
  await service.stop();
  await stopWorking();
});

const REQUESTS: [string, () => Promise<Answer>][] = [
  ["POST /webhooks", () => client.post("/webhooks", { endpoint_id: endpointId, data: {} })],
  ["GET /webhooks", () => client.get("/webhooks")],
  ["GET /webhooks by cursor", () => client.get("/webhooks?limit=1")],
  ["GET /webhooks by iterator", () => client.get("/webhooks?iterator=start")],
  ["GET /webhooks/:id", () => client.get("/webhooks/wh_01k9x3v5q8e7bt2m4n6p8r0s2t")],
  ["GET /endpoints", () => client.get("/endpoints")],
  ["POST /endpoints", () => client.post("/endpoints", { url: "https://example.com" })],
  [
    "POST /endpoints with a key",
    () => client.post("/endpoints", { url: "https://example.com" }, { "idempotency-key": "k" }),
  ],
  ["DELETE /endpoints/:id", () => client.delete(`/endpoints/${endpointId}`)],
  ["GET /stats", () => client.get("/stats")],
  ["GET /billing/usage", () => client.get("/billing/usage")],
  ["GET /event-types", () => client.get("/event-types")],
  ["PUT a schema", () => client.put("/event-types/a/schema", { schema: {} })],
];

describe("an unexpected failure", () => {
  test.each(REQUESTS)("of %s is a 500 that tells nothing", async (_, ask) => {
    for (const error of [
      new Error(SECRET),
      new TypeError(SECRET),
      SECRET,
      { code: SECRET, status: 418 },
      null,
    ]) {
      thrown = error;
      const answer = await ask();
      expectError(answer, 500, "INTERNAL_ERROR");
      expect(answer.text).not.toContain("hidden");
      expect(JSON.stringify(Object.fromEntries(answer.headers))).not.toContain("hidden");
    }
  });
});

test("an unexpected failure is logged, with its reason and what the answer is found by", async () => {
  thrown = new Error(SECRET);
  logged.length = 0;
  const { headers } = await client.get("/stats");
  expect(logged).toEqual([
    expect.objectContaining({ error: SECRET, request_id: headers.get("x-request-id") }),
  ]);
});

describe("what is out of reach", () => {
  test.each(REQUESTS)("makes %s a 503 that says when to come back", async (_, ask) => {
    for (const error of [new DatabaseUnavailable(SECRET), new QueueFull()]) {
      thrown = error;
      const answer = await ask();
      expectError(answer, 503, "SERVICE_UNAVAILABLE");
      expect(answer.text).not.toContain("hidden");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });
});

describe("health", () => {
  const health = async (name: string) => answerOf(await fetch(`${service.url}/health/${name}`));

  test("is live as long as it answers", async () => {
    expect(await health("live")).toMatchObject({ status: 200, body: { status: "live" } });
  });

  test.each<[{ postgres: boolean; nats: boolean }, number, string[]]>([
    [{ postgres: true, nats: true }, 200, []],
    [{ postgres: false, nats: true }, 503, ["postgres"]],
    [{ postgres: true, nats: false }, 503, ["nats"]],
    [{ postgres: false, nats: false }, 503, ["postgres", "nats"]],
  ])("with %j is a %d", async (parts, status, away) => {
    ready = parts;
    const answer = await health("ready");
    expect(answer.status).toBe(status);
    expect(answer.body.away ?? []).toEqual(away);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });
});
