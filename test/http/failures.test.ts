import { describe, expect, test } from "bun:test";
import type { Readiness } from "../../src/api/dependencies";
import { healthRoutes, serversReady } from "../../src/api/health";
import { DatabaseUnavailable } from "../../src/db/database";
import { systemClock } from "../../src/runtime/clock";
import { QueueFull } from "../../src/runtime/queues/batcher";
import { type Answer, answerOf, expectError } from "./client";
import { useService } from "./service";

const SECRET = "relation hidden_things at 10.0.0.7";

let thrown: unknown = new Error(SECRET);
const logged: unknown[] = [];

/** An API that fails every request with `thrown`. */
const broken = () => new Proxy({}, { get: () => async () => Promise.reject(thrown) }) as never;

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

const working = await useService();
const service = await useService({
  beside: working,
  dependencies: {
    intake: broken(),
    deliveries: broken(),
    stats: broken(),
    usage: broken(),
    endpoints: broken(),
    eventTypes: broken(),
    log: {
      ...working.dependencies.log,
      debug: () => {},
      error: (what: unknown) => logged.push(what),
    } as never,
  },
});
const client = await service.newClient();
const there = await working.newClient();
const endpointId: string = (await there.newEndpoint()).id;

// The first failure of this file, since one line a second is logged.
test("an unexpected failure is logged with its reason and the request's id", async () => {
  thrown = new Error(SECRET);
  logged.length = 0;
  const { headers } = await client.get("/stats");
  expect(logged).toEqual([
    expect.objectContaining({ error: SECRET, request_id: headers.get("x-request-id") }),
  ]);
});

describe("an unexpected failure", () => {
  test.each(REQUESTS)("of %s is a 500 without details", async (_, ask) => {
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

describe("an unreachable server", () => {
  test.each(REQUESTS)("makes %s a 503 with Retry-After", async (_, ask) => {
    // Errors that a caller of the database tries again, when it has given up.
    const codes = ["55P03", "40001", "40P01"].map((code) => Object.assign(new Error(SECRET), { code }));
    for (const error of [new DatabaseUnavailable(SECRET), new QueueFull(), ...codes]) {
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

  test.each<[Readiness, string, number, string, string[]]>([
    [{ postgres: true, nats: true, writes: true }, "", 200, "ready", []],
    [{ postgres: true, nats: true, writes: true }, "?require=nats", 200, "ready", []],
    [{ postgres: true, nats: false, writes: true }, "", 200, "degraded", ["nats"]],
    [{ postgres: true, nats: false, writes: true }, "?require=nats", 503, "unready", ["nats"]],
    [{ postgres: true, nats: true, writes: false }, "", 200, "degraded", []],
    [{ postgres: true, nats: true, writes: false }, "?require=nats", 200, "degraded", []],
    [{ postgres: true, nats: true, writes: false }, "?require=writes", 503, "unready", []],
    [{ postgres: false, nats: true, writes: true }, "", 503, "unready", ["postgres"]],
    [{ postgres: false, nats: false, writes: true }, "?require=nats", 503, "unready", ["postgres", "nats"]],
  ])("with %j and %p is a %d", async (parts, query, status, word, away) => {
    const app = healthRoutes(serversReady({ readiness: async () => parts, clock: systemClock }));
    const answer = await answerOf(await app.handle(new Request(`http://localhost/health/ready${query}`)));
    expect(answer).toMatchObject({ status, body: { status: word, ...parts } });
    expect(answer.body.away ?? []).toEqual(away);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  test("accepts no other value for require", async () => {
    expectError(
      await health("ready?require=redis"),
      400,
      "BAD_REQUEST",
      "require must be one of nats, writes",
    );
  });
});
