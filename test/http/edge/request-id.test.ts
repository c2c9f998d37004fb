import { describe, expect, test } from "bun:test";
import { RequestLog } from "../../../src/api/edge/request-log";
import { toText } from "../../../src/domain/ids";
import { ROUTES } from "../routes";
import { useService } from "../service";

type Line = Record<string, unknown>;

const lines: Line[] = [];
let share = 1;

const log = { info: (line: Line) => void lines.push(line) };
const requestLog = new RequestLog({
  log: log as never,
  get share() {
    return share;
  },
  random: () => 0.5,
});
const service = await useService({ dependencies: { requestLog } });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("x-request-id", () => {
  const open = [
    "/health/live",
    "/health/ready",
    "/swagger",
    "/swagger/json",
    "/nothing",
    "/v1",
    "/v1/nothing",
  ];
  const all = [
    ...ROUTES.map(({ method, path }) => [method, `/v1${path}`] as const),
    ...open.map((path) => ["GET", path] as const),
    ["HEAD", "/v1/endpoints"] as const,
    ["PUT", "/v1/stats"] as const,
  ];

  test.each(all)("of %s %s is on the answer, with and without a key", async (method, path) => {
    for (const key of [service.admin.key, "none"]) {
      const headers = { authorization: `Bearer ${key}` };
      const { headers: first } = await fetch(service.url + path, { method, headers });
      const { headers: second } = await fetch(service.url + path, { method, headers });
      expect(first.get("x-request-id")).toMatch(UUID);
      expect(second.get("x-request-id")).not.toBe(first.get("x-request-id"));
    }
  });

  test.each(["a", "4bf92f3577b34da6a3ce929d0e0e4736", "Root=1-67891233;id={x}", "a".repeat(128)])(
    "is the request's own if it is valid: %s",
    async (id) => {
      const { headers } = await service.admin.get("/stats", { "x-request-id": id });
      expect(headers.get("x-request-id")).toBe(id);
    },
  );

  test.each(["a b", "a\tb", "é", "a".repeat(129)])("replaces an invalid one: %j", async (id) => {
    const { headers } = await service.admin.get("/stats", { "x-request-id": id });
    expect(headers.get("x-request-id")).toMatch(UUID);
  });
});

describe("the request log", () => {
  test("has a line for each request, with ids and without its query, headers and body", async () => {
    lines.length = 0;
    const { admin } = service;
    await admin.get("/webhooks?limit=1&event_type=a-secret", { "x-request-id": "one" });
    await admin.post("/webhooks", { endpoint_id: "a-secret" }, { "x-request-id": "two" });
    await fetch(`${service.url}/health/live`, { headers: { "x-request-id": "three" } });
    const account_id = toText("acc", admin.accountId);
    const duration_ms = expect.any(Number);
    expect(lines).toEqual([
      { request_id: "one", method: "GET", path: "/v1/webhooks", status: 200, account_id, duration_ms },
      { request_id: "two", method: "POST", path: "/v1/webhooks", status: 400, account_id, duration_ms },
      { request_id: "three", method: "GET", path: "/health/live", status: 200, duration_ms },
    ] as Line[]);
    expect(JSON.stringify(lines)).not.toContain("secret");
    expect(JSON.stringify(lines)).not.toContain(admin.key);
  });

  test("has the configured share of requests", async () => {
    lines.length = 0;
    share = 0.4;
    await service.admin.get("/stats");
    share = 0.6;
    await service.admin.get("/usage", { "x-request-id": "logged" });
    share = 1;
    expect(lines).toEqual([expect.objectContaining({ request_id: "logged" })]);
  });
});
