import { describe, expect, test } from "bun:test";
import { type TestService, useService } from "../service";

const ORIGIN = "https://app.example";
const OTHERS = ["https://app.example.evil", "http://app.example", "https://app.example:8443", "null"];

/** The parts of an answer that a page can read. */
const EXPOSED = [
  "idempotency-replayed",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "retry-after",
  "x-request-id",
];

const closed = await useService();
const config = { ...closed.dependencies.config, corsOrigins: [ORIGIN, "http://localhost:5173"] };
const open = await useService({ beside: closed, dependencies: { config } });

const WITH_KEY = () => ({ authorization: `Bearer ${closed.admin.key}`, "content-type": "application/json" });

const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type",
};

type Headers = Record<string, string>;

function ask(service: TestService, path: string, headers: Headers, init: RequestInit = {}) {
  return fetch(`${service.url}${path}`, { ...init, headers });
}

function corsOf({ headers }: Response): string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}

describe("without origins", () => {
  test("no answer and no preflight lets a page read anything", async () => {
    for (const method of ["GET", "OPTIONS"]) {
      const headers = { ...WITH_KEY(), origin: ORIGIN, ...(method === "OPTIONS" && PREFLIGHT) };
      const response = await ask(closed, "/v1/endpoints", headers, { method });
      expect(corsOf(response)).toEqual([]);
      expect(response.headers.has("vary")).toBe(false);
    }
  });
});

describe("with origins", () => {
  const answers: [string, string, () => Headers, RequestInit, number][] = [
    ["a success", "/v1/endpoints", WITH_KEY, {}, 200],
    ["a creation", "/v1/endpoints", WITH_KEY, { method: "POST", body: '{"url":"https://a.example"}' }, 201],
    ["a bad request", "/v1/endpoints", WITH_KEY, { method: "POST", body: "{}" }, 400],
    ["no key", "/v1/endpoints", () => ({}), {}, 401],
    ["no such path", "/v1/nothing", WITH_KEY, {}, 404],
    ["no such path at all", "/nothing", () => ({}), {}, 404],
    ["health", "/health/live", () => ({}), {}, 200],
    ["the document", "/swagger/json", () => ({}), {}, 200],
  ];

  test.each(answers)(
    "%s can be read by a page of exactly such an origin",
    async (_, path, headers, init, status) => {
      const response = await ask(open, path, { ...headers(), origin: ORIGIN }, init);
      expect(response.status).toBe(status);
      expect(response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      const exposed = response.headers.get("access-control-expose-headers")?.split(", ");
      expect(exposed).toEqual(expect.arrayContaining(EXPOSED));
      expect(response.headers.get("vary")).toContain("origin");
      expect(response.headers.get("content-type")).toStartWith("application/json");
      expect(response.headers.has("access-control-allow-credentials")).toBe(false);
    },
  );

  test.each(answers)(
    "%s can't be read by a page of another origin",
    async (_, path, headers, init, status) => {
      for (const origin of OTHERS) {
        const response = await ask(open, path, { ...headers(), origin }, init);
        expect(response.status).toBe(status);
        expect(corsOf(response)).toEqual([]);
        expect(response.headers.get("vary")).toContain("origin");
      }
    },
  );

  test("a preflight is answered for them without a key, and lists what a page may send", async () => {
    for (const origin of [ORIGIN, "http://localhost:5173"]) {
      const headers = { origin, ...PREFLIGHT };
      const response = await ask(open, "/v1/webhooks", headers, { method: "OPTIONS" });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe("");
      const reported = Object.fromEntries(response.headers);
      expect(reported).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers":
          "authorization, content-type, idempotency-key, x-request-id, hermod-account",
        "access-control-max-age": "600",
        vary: "origin",
      });
      expect(reported).not.toHaveProperty("access-control-allow-credentials");
    }
  });

  test("a preflight of others, and any other OPTIONS, is an ordinary request", async () => {
    for (const headers of [{ origin: "https://evil.example", ...PREFLIGHT }, { origin: ORIGIN }]) {
      const response = await ask(open, "/v1/webhooks", headers, { method: "OPTIONS" });
      expect(response.status).toBe(401);
      expect(corsOf(response)).not.toContain("access-control-allow-methods");
    }
  });
});
