import { describe, expect, test } from "bun:test";
import { REFUSALS_PER_MINUTE } from "../../src/api/edge/failure-limit";
import { type Client, expectError } from "./client";
import { ROUTES } from "./routes";
import { useService } from "./service";

const LARGE = "x".repeat(1_048_577);

const service = await useService();
await service.dependencies.plans.put("tiny", { requestsPerMinute: 3, webhooksPerMonth: 1 });
const exhausted = await service.newClient({ plan: "tiny" });
const exhaustedReader = await service.newKey(exhausted.accountId, ["stats:read"]);
for (let i = 0; i < 3; i++) expect((await exhausted.get("/stats")).status).toBe(200);

// Flaws of a request, in the order in which the API checks them.
describe("the order of checks", () => {
  test("401 before everything", async () => {
    const headers = { authorization: "Bearer nobody's", "content-type": "text/plain" };
    expectError(await exhausted.post("/webhooks", LARGE, headers), 401, "UNAUTHORIZED");
  });

  test("403 before 429", async () => {
    expectError(await exhaustedReader.post("/webhooks", LARGE), 403, "FORBIDDEN");
  });

  test("429 instead of 403 after too many refused requests, of this key alone", async () => {
    const reader = await service.newClient({ permissions: ["endpoints:read"] });
    const other = await service.newKey(reader.accountId, ["endpoints:read"]);
    const refused = (of: Client) => of.post("/webhooks", {});
    for (let i = 0; i < REFUSALS_PER_MINUTE; i++) await refused(reader);
    expectError(await refused(reader), 429, "RATE_LIMIT_EXCEEDED", "refused requests");
    expectError(await refused(other), 403, "FORBIDDEN");
    expect((await reader.get("/endpoints")).status).toBe(200);
  });

  test("429 before 413", async () => {
    expectError(await exhausted.post("/webhooks", LARGE), 429, "RATE_LIMIT_EXCEEDED");
  });

  test("429 before 400 and 404, at every operation and at unknown paths", async () => {
    for (const { method, path } of [...ROUTES, { method: "GET", path: "/nope" }])
      expectError(await exhausted.ask(method, `${path.split("?")[0]}?none=1`), 429, "RATE_LIMIT_EXCEEDED");
  });

  test("413 before 400", async () => {
    const client = await service.newClient();
    expectError(await client.post("/webhooks", LARGE, { "idempotency-key": "é" }), 413, "PAYLOAD_TOO_LARGE");
  });

  test("400 before 404 and 409, at every operation with a body", async () => {
    const client = await service.newClient();
    const headers = { "idempotency-key": "taken" };
    expect((await client.post("/keys", {}, headers)).status).toBe(201);
    for (const { method, path, spec } of ROUTES.filter(({ spec }) => spec.body)) {
      for (const body of ["{", { ...Object(spec.body?.example), none: 1 }])
        expectError(await client.ask(method, path, body, headers), 400, "BAD_REQUEST");
    }
    expectError(await client.post("/keys", { name: "other" }, headers), 409, "CONFLICT");
  });
});

describe("the rate limit", () => {
  test("is in every answer to an account that has one", async () => {
    await service.dependencies.plans.put("small", { requestsPerMinute: 5, webhooksPerMonth: 1 });
    const client = await service.newClient({ plan: "small" });
    const answers = [
      await client.get("/stats"),
      await client.get("/endpoints/nope"),
      await client.post("/endpoints", {}),
      await client.get("/nope"),
      await client.post("/endpoints", { url: "https://example.com" }, { "idempotency-key": "a" }),
      await client.get("/stats"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 404, 201, 429]);
    for (const [i, { headers }] of answers.entries()) {
      expect(headers.get("ratelimit-limit")).toBe("5");
      expect(headers.get("ratelimit-remaining")).toBe(String(Math.max(0, 4 - i)));
      expect(Number(headers.get("ratelimit-reset"))).toBeWithin(1, 62);
    }
    expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeWithin(1, 62);
    expect(answers[0]?.headers.has("retry-after")).toBe(false);
  });

  test("is left out without one", async () => {
    const { headers } = await service.admin.get("/stats");
    expect([...headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([]);
  });
});
