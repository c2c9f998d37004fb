import { describe, expect, test } from "bun:test";
import { BasePath, basePathProblem } from "../../src/api/edge/base-path";
import { SessionCookie } from "../../src/api/session-cookie";
import { Hermod } from "../../src/client";
import { atEnd } from "../support/at-end";
import { startSubPathProxy } from "../support/sub-path-proxy";
import type { Json } from "./client";
import { useService } from "./service";

const PUBLIC_URL = "https://example.com/hermod";
const beside = await useService();
const config = { ...beside.dependencies.config, publicUrl: PUBLIC_URL };
const service = await useService({ beside, dependencies: { config } });
const client = await service.newClient();
const [removing, keeping] = [true, false].map((removesPath) =>
  startSubPathProxy(() => service.url, { removesPath }),
);
atEnd(() => Promise.all([removing?.stop(), keeping?.stop()]));

describe.each([
  ["a proxy that removes the path", removing?.url ?? ""],
  ["a proxy that keeps the path", keeping?.url ?? ""],
  ["no proxy", service.url],
])("below a path, through %s", (_, url) => {
  test("the client sends, lists and follows", async () => {
    const hermod = new Hermod({ url, key: client.key });
    const endpoint = await hermod.endpoints.create({ url: "http://127.0.0.1:9/gone", is_active: false });
    const sent = await hermod.webhooks.send({
      endpoint_id: endpoint.id,
      data: { text: "ü".repeat(100_000) },
    });
    expect(await hermod.webhooks.get(sent.id)).toMatchObject({ id: sent.id, status: "pending" });
    const following = hermod.webhooks.follow({ endpoint_id: endpoint.id }, { from: "start" });
    expect((await following.next()).value?.id).toBe(sent.id);
    await following.return();
  });

  test("the document, its page and the pages name addresses with the path", async () => {
    const { servers }: Json = await (await fetch(`${url}/swagger/json`)).json();
    expect(servers).toEqual([{ url: "/hermod" }]);
    for (const path of ["/swagger", "/console", "/portal", "/console/endpoints/x?y=/"]) {
      const html = await (await fetch(url + path)).text();
      const addresses = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, address]) => address);
      expect(addresses.length).toBeGreaterThan(2);
      for (const address of addresses) expect(address).toStartWith("/hermod/");
    }
  });

  test("unknown paths are a 404 in the API's words", async () => {
    const answer = await fetch(`${url}/hermodx/v1`, { headers: { authorization: `Bearer ${client.key}` } });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
  });
});

test("links begin with the configured address", async () => {
  const link = await client.expecting(201, client.post("/portal-sessions", { capabilities: ["view"] }));
  expect(link.url).toStartWith(`${PUBLIC_URL}/portal#token=`);
});

test("the session's cookie is for the path alone", () => {
  const request = new Request("http://x", { headers: { host: "example.com" } });
  expect(new SessionCookie(true, "/hermod").set(request, "t", 1)).toBe(
    "__Secure-hermod=t; Max-Age=1; Path=/hermod; HttpOnly; SameSite=Strict; Secure",
  );
});

test.each([
  ["http://a/hermod", "http://a/"],
  ["http://a/hermod/", "http://a/"],
  ["http://a/hermod?x", "http://a/?x"],
  ["http://a/hermod/v1/x?y=/hermod", "http://a/v1/x?y=/hermod"],
  ["http://a/hermod/hermod", "http://a/hermod"],
  ["http://a/hermods", "http://a/hermods"],
  ["http://a/v1/hermod", "http://a/v1/hermod"],
  ["http://a/", "http://a/"],
])("the path is removed once, at the beginning: %s", (url, expected) => {
  const [base, request] = [new BasePath("/hermod"), new Request(url)];
  const stripped = base.strip(request);
  expect(stripped.url).toBe(expected);
  expect(base.original(stripped)).toBe(request);
});

test.each([
  ["", null],
  ["/hermod", null],
  ["/a.b/~c-d_1", null],
  ["/v1", "/v1"],
  ["/console/x", "/console"],
  ['/a"b', "letters"],
  ["/a%20b", "letters"],
])("the path %j may be configured, or is refused with the reason", (path, reason) => {
  const problem = basePathProblem(path);
  if (reason === null) expect(problem).toBeNull();
  else expect(problem).toContain(reason);
});
