import { describe, expect, test } from "bun:test";
import { CAPABILITIES, type Capability } from "../../src/domain/portal";
import { recordAttempt } from "../http/attempts";
import { type Answer, answerOf, expectError, type Json } from "../http/client";
import { newPortalSession } from "../http/portal-session";
import { useService } from "../http/service";
import { ended, runnersOf } from "../jobs/stage";

const service = await useService();

const run = runnersOf(() => service);

const ALL = Object.keys(CAPABILITIES) as Capability[];
const BLIND = ALL.filter((each) => each !== "view_payloads");
const OWN_URL = "https://hooks.customer.example/in";
const SECRETS = ["payload-text", "answer-text", "location-text", "header-text"];

/** An account with an endpoint, a delivery that failed with an answer, and one that its filter excluded. */
async function newVictim(fields: object = {}) {
  const client = await service.newClient();
  const { id } = await client.newEndpoint({ url: OWN_URL, event_filter: "order.*", ...fields });
  const data = { secret: "payload-text" };
  const failed = await client.send(id, "order.paid", data);
  const answer = { status: 500, body: "answer-text", location: "https://x.example/location-text" };
  await recordAttempt(service.database.db, failed, { ...answer, verdict: "failed" });
  const excluded = await client.send(id, "salary.paid", data);
  if (!("event_filter" in fields)) expect(excluded.status).toBe("cancelled");
  const ask = async (body: object) => {
    const headers = await newPortalSession(service, client, body);
    return async (method: string, path: string, sent?: unknown): Promise<Answer> => {
      const init = { method, headers, ...(sent !== undefined && { body: JSON.stringify(sent) }) };
      return answerOf(await fetch(`${service.url}/v1${path}`, init));
    };
  };
  return { client, id, failed, excluded, session: ask };
}

type Ask = Awaited<ReturnType<Awaited<ReturnType<typeof newVictim>>["session"]>>;

const subsets = (of: readonly Capability[]): Capability[][] =>
  Array.from({ length: 2 ** of.length - 1 }, (_, i) => of.filter((_, bit) => ((i + 1) >> bit) % 2 === 1));

describe("a portal session without view_payloads", () => {
  test.each(subsets(BLIND).map((capabilities) => ({ capabilities })))(
    "comes by no payload: $capabilities",
    async ({ capabilities }) => {
      const { client, id, failed, excluded, session } = await newVictim();
      const ask = await session({ capabilities });
      const before = (await client.get(`/endpoints/${id}`)).body;
      const evil = "https://evil.example/in";
      const requests: [string, string, unknown?][] = [
        ["GET", `/webhooks/${failed.id}`],
        ["GET", `/webhooks/${excluded.id}`],
        ["GET", "/webhooks"],
        ["GET", "/webhooks?limit=5"],
        ["GET", "/webhooks?iterator=start"],
        ["GET", "/webhooks?data.secret=payload-text"],
        ["GET", "/webhooks?limit=5&data%2Esecret=payload-text"],
        ["GET", "/webhooks/tail?data.secret=payload-text"],
        ["GET", "/webhooks/summary?data.secret=payload-text"],
        ["GET", "/events"],
        ["GET", "/endpoints"],
        ["GET", `/endpoints/${id}`],
        ["GET", `/endpoints/${id}/stats`],
        ["GET", `/endpoints/${id}/queue`],
        ["GET", "/event-types"],
        ["GET", "/event-types/order.paid"],
        ["POST", `/endpoints/${id}/filter/test`, { filter: "data.secret == 'payload-text'" }],
        ["POST", `/endpoints/${id}/test`, { event: "order.paid" }],
        ["POST", `/endpoints/${id}/test`, { data: { a: 1 } }],
        ["POST", `/endpoints/${id}/test`],
        ["POST", `/endpoints/${id}/retry`],
        ["POST", `/endpoints/${id}/rotate-secret`],
        ["POST", `/endpoints/${id}/replay`, { status: "failed" }],
        ["POST", `/endpoints/${id}/replay`, { missing: true }],
        ["POST", `/webhooks/${excluded.id}/resend`],
        ["POST", "/webhooks/resend", { filter: { data: { secret: "payload-text" } }, dry_run: true }],
        ["POST", "/webhooks/resend", { filter: { status: "cancelled" } }],
        ["POST", "/webhooks/resend", { ids: [excluded.id] }],
        ["POST", "/endpoints", { url: evil, event_filter: "*" }],
        ["POST", "/endpoints", { url: OWN_URL, event_filter: "order.*" }],
        ["PUT", "/endpoints/~mine", { url: evil }],
        ["PUT", `/endpoints/${id}`, { url: evil }],
        ["PATCH", `/endpoints/${id}`, { url: evil }],
        ["PATCH", `/endpoints/${id}`, { url: evil, event_filter: "order.*", headers: {} }],
        ["PATCH", `/endpoints/${id}`, { event_filter: "*" }],
        ["PATCH", `/endpoints/${id}`, { event_types: ["salary.paid"] }],
        ["PATCH", `/endpoints/${id}`, { filter: null }],
        ["PATCH", `/endpoints/${id}`, { headers: { host: "evil.example" } }],
        ["PATCH", `/endpoints/${id}`, { format: "email", url: "mailto:a@evil.example", feed: true }],
        ["POST", "/portal-sessions", { capabilities: ["view", "view_payloads"] }],
      ];
      for (const [method, path, body] of requests) {
        const { status, text } = await ask(method, path, body);
        expect({ path, status: status < 500 }).toEqual({ path, status: true });
        for (const secret of SECRETS)
          expect({ method, path, has: text.includes(secret) }).toEqual({ method, path, has: false });
      }
      const after = (await client.get(`/endpoints/${id}`)).body;
      expect(after).toMatchObject({ url: before.url, event_types: before.event_types, headers: {} });
      expect((await client.get("/endpoints")).body).toHaveLength(1);
      run();
      for (const job of (await client.get("/jobs")).body.data) await ended(client, job.id);
      // Neither what the filter excludes nor anything else is queued, but test events.
      const queued = (await client.get("/webhooks?status=pending&limit=100")).body.data;
      expect(queued.filter(({ event }: Json) => !event.startsWith("hermod.test"))).toEqual([]);
    },
  );

  const MOVES: [string, boolean][] = [
    ["https://hooks.customer.example/other?path=1", false],
    ["https://HOOKS.customer.example:443/other", false],
    ["http://hooks.customer.example/in", true],
    ["https://hooks.customer.example:8443/in", true],
    ["https://hooks.customer.example./in", true],
    ["https://evil.example/in", true],
    ["https://hooks.customer.example@evil.example/in", true],
    ["https://hooks.customer.example.evil.example/in", true],
  ];

  test.each(MOVES)("with url %s: refused %p", async (url, isRefused) => {
    const { client, id, session } = await newVictim();
    const ask = await session({ capabilities: BLIND });
    const { status } = await ask("PATCH", `/endpoints/${id}`, { url });
    expect(isRefused ? status >= 400 : status === 200).toBe(true);
    const isKept = new URL((await client.get(`/endpoints/${id}`)).body.url).host === "hooks.customer.example";
    expect(isKept).toBe(true);
    // A session that may see payloads may move the endpoint.
    if (isRefused && status === 403) {
      const seeing = await session({ capabilities: ALL });
      expect((await seeing("PATCH", `/endpoints/${id}`, { url })).status).toBe(200);
    }
  });

  test("says what its link lacks", async () => {
    const { id, session } = await newVictim();
    const ask = await session({ capabilities: BLIND });
    const url = "https://evil.example";
    expectError(await ask("POST", "/endpoints", { url }), 403, "FORBIDDEN", "capability view_payloads");
    expectError(
      await ask("PATCH", `/endpoints/${id}`, { url }),
      403,
      "FORBIDDEN",
      "capability view_payloads",
    );
    expectError(
      await ask("PATCH", `/endpoints/${id}`, { event_filter: "*" }),
      403,
      "FORBIDDEN",
      "event_types",
    );
  });

  test("narrows a filter, and widens it up to its link's event types", async () => {
    const statusOf = async (ask: Ask, id: string, event_filter: string) =>
      (await ask("PATCH", `/endpoints/${id}`, { event_filter })).status;
    const one = await newVictim();
    const plain = await one.session({ capabilities: BLIND });
    expect(await statusOf(plain, one.id, "order.paid,order.sent.*")).toBe(200);
    for (const wider of ["order.*", "*", "order.paid,order.new", "order.sent.*,order.paid,salary.paid"])
      expect({ wider, status: await statusOf(plain, one.id, wider) }).toEqual({ wider, status: 403 });
    const bounded = await one.session({ capabilities: BLIND, event_types: ["order.*", "a,b"] });
    for (const within of ["order.*", "order.new.*,order.paid"])
      expect({ within, status: await statusOf(bounded, one.id, within) }).toEqual({ within, status: 200 });
    for (const wider of ["*", "orders.*", "order", "order.*,salary.paid", "a.*"])
      expect({ wider, status: await statusOf(bounded, one.id, wider) }).toEqual({ wider, status: 403 });
    const commas = await bounded("PATCH", `/endpoints/${one.id}`, { event_types: ["a,b"] });
    expect(commas.status).toBe(200);
  });

  test("resends nothing that another origin was meant to get, also by a job that runs when it moves", async () => {
    const { client, id, failed, session } = await newVictim();
    const ask = await session({ capabilities: BLIND });
    const filter = { status: "failed" };
    const count = async () =>
      (await ask("POST", "/webhooks/resend", { filter, dry_run: true })).body.total as number;
    expect(await count()).toBe(1);
    expect((await ask("POST", `/webhooks/${failed.id}/resend`)).status).toBe(201);
    const job = (await ask("POST", "/webhooks/resend", { filter })).body;
    await client.expecting(200, client.patch(`/endpoints/${id}`, { url: `${OWN_URL}/2` }));
    expect(await count()).toBe(1);
    const sequences = async () => (await client.get("/webhooks?limit=100")).body.data.length;
    const before = await sequences();
    await client.expecting(200, client.patch(`/endpoints/${id}`, { url: "https://evil.example" }));
    run();
    expect((await ended(client, job.id)).progress).toMatchObject({ total: 1, done: 0 });
    expect(await sequences()).toBe(before);
    expect(await count()).toBe(0);
    const refused = await ask("POST", `/webhooks/${failed.id}/resend`);
    expectError(refused, 403, "FORBIDDEN", "capability view_payloads");
    const own = (await ask("POST", "/webhooks/resend", { filter })).body;
    expect((await ended(client, own.id)).progress).toMatchObject({ total: 0, done: 0 });
    // The account itself may, and a session that may see payloads.
    const seeing = await session({ capabilities: ALL });
    expect((await seeing("POST", `/webhooks/${failed.id}/resend`)).status).toBe(201);
    // A later delivery may be sent again.
    const later = await client.send(id, "order.paid", {});
    await recordAttempt(service.database.db, later, { status: 500, verdict: "failed" });
    expect(await count()).toBe(1);
    expect((await ask("POST", `/webhooks/${later.id}/resend`)).status).toBe(201);
  });
});

describe("a portal session of a link with event_types", () => {
  const bounded = { capabilities: ALL, event_types: ["order.*"] };

  test("lets no endpoint get other event types, and moves none that does", async () => {
    const { client, id, session } = await newVictim();
    const ask = await session(bounded);
    const url = "https://customer.example/hook";
    for (const filter of [
      {},
      { event_filter: "*" },
      { event_types: ["salary.paid"] },
      { event_filter: "order" },
    ])
      expectError(await ask("POST", "/endpoints", { url, ...filter }), 403, "FORBIDDEN", "order.*");
    expect((await ask("POST", "/endpoints", { url, event_filter: "order.paid" })).status).toBe(201);
    expect((await ask("PATCH", `/endpoints/${id}`, { event_filter: "*" })).status).toBe(403);
    expect((await ask("PATCH", `/endpoints/${id}`, { url })).status).toBe(200);
    await client.expecting(200, client.patch(`/endpoints/${id}`, { event_filter: "*" }));
    const other = "https://other.example";
    expectError(await ask("PATCH", `/endpoints/${id}`, { url: other }), 403, "FORBIDDEN", "beyond");
    const both = await ask("PATCH", `/endpoints/${id}`, { url: other, event_filter: "order.*" });
    expectError(both, 403, "FORBIDDEN", "beyond");
    expect((await ask("PATCH", `/endpoints/${id}`, { description: "mine" })).status).toBe(200);
  });

  test("sees, searches and resends no payload of others", async () => {
    const { client, id, failed, session } = await newVictim({ event_filter: "*" });
    const other = await client.send(id, "salary.paid", { secret: "payload-text" });
    await recordAttempt(service.database.db, other, { status: 500, verdict: "failed" });
    const none = await client.expecting(
      201,
      client.post("/webhooks", { endpoint_id: id, data: "payload-text" }),
    );
    const ask = await session(bounded);
    expect((await ask("GET", `/webhooks/${failed.id}`)).text).toContain("payload-text");
    for (const hidden of [other.id, none.id])
      expect((await ask("GET", `/webhooks/${hidden}`)).text).not.toContain("payload-text");
    const search = (more: string) => ask("GET", `/webhooks?data.secret=payload-text${more}`);
    expectError(await search(""), 403, "FORBIDDEN", "event_type");
    expectError(await search("&event_type=salary.paid"), 403, "FORBIDDEN", "event_type");
    expect((await search("&event_type=order.paid")).body.data).toHaveLength(1);
    expectError(await ask("GET", "/webhooks/tail?data.secret=payload-text"), 403, "FORBIDDEN", "event_type");
    expectError(await ask("POST", `/webhooks/${other.id}/resend`), 403, "FORBIDDEN", "event_types");
    const dry = await ask("POST", "/webhooks/resend", { filter: { status: "failed" }, dry_run: true });
    expect(dry.body.total).toBe(1);
    const types = (await ask("GET", "/event-types")).body.data.map((each: Json) => each.event_type);
    expect(types).toEqual(["order.paid"]);
    expect((await ask("GET", "/event-types/salary.paid")).status).toBe(404);
  });

  test("shows them, and is refused for patterns that are none", async () => {
    const { client, session } = await newVictim();
    const ask = await session(bounded);
    expect((await ask("GET", "/portal-sessions")).body.event_types).toEqual(["order.*"]);
    for (const event_types of [[], ["or*der"], ["a|b"], [""], "order.*", Array(101).fill("a")]) {
      const refused = await client.post("/portal-sessions", { capabilities: ["view"], event_types });
      expectError(refused, 400, "BAD_REQUEST", "event_types");
    }
  });
});
