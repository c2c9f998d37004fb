import { describe, expect, test } from "bun:test";
import { type Delivery, Hermod, HermodError, HermodUnreachable, rawJson } from "../../src/client";
import { useService } from "../http/service";
import { until } from "../support/faults/until";
import { flaky } from "./flaky";

const TARGET = "https://example.com/hooks";

const service = await useService();

/** A client for an account of its own. */
async function newHermod(options: { url?: string; maxRetries?: number } = {}): Promise<Hermod> {
  const { key } = await service.newClient();
  return new Hermod({ url: service.url, key, ...options });
}

function sendsTo(endpoint_id: string, count: number) {
  return Array.from({ length: count }, (_, i) => ({ endpoint_id, event: "order.created", data: { i } }));
}

/** Returns the reason of a rejected promise. */
async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error) => error,
  );
}

describe("routes", () => {
  test("no identifier turns a route into another", async () => {
    const { endpoints } = await newHermod();
    for (const id of ["", ".", ".."]) {
      expect(String(await rejectionOf(endpoints.get(id)))).toBe(`TypeError: id can't be "${id}"`);
    }
  });

  test("watching a job ends with its signal, even if the service sends nothing", async () => {
    using silent = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) });
    const hermod = await newHermod({ url: silent.url.href });
    const ending = new AbortController();
    const watching = Array.fromAsync(hermod.jobs.watch("job_1", { signal: ending.signal }));
    setTimeout(() => ending.abort(), 20);
    expect(await watching).toEqual([]);
  });

  test("an endpoint is created, read, changed, given another secret and deleted", async () => {
    const { endpoints, webhooks } = await newHermod();
    const { signing_secret, ...made } = await endpoints.create({ url: TARGET, event_filter: "order.*" });
    expect(signing_secret).toStartWith("whsec_");
    expect(await endpoints.get(made.id)).toEqual(made);
    const paused = await endpoints.update(made.id, { is_active: false });
    expect(paused).toEqual({ ...made, is_active: false, health: { ...made.health, ...paused.health } });
    expect(await Array.fromAsync(endpoints.all({ health: "paused" }))).toEqual([paused]);
    expect((await endpoints.test(made.id)).event).toBe("hermod.test");
    const own = await endpoints.test(made.id, { data: { order_id: 42 } });
    expect((await webhooks.get(own.id)).data).toEqual({ order_id: 42 });
    expect((await endpoints.stats(made.id)).pending).toBe(2);
    const rotated = await endpoints.rotateSecret(made.id, { overlap: 0 });
    expect(rotated.signing_secret).not.toBe(signing_secret);
    expect((await endpoints.list()).data.map(({ id }) => id)).toEqual([made.id]);
    expect(await endpoints.delete(made.id)).toEqual({ deleted: true });
    expect(await rejectionOf(endpoints.get(made.id))).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });

  test("keys, accounts, plans, event types and statistics have the fields of their types", async () => {
    const hermod = await newHermod();
    const account = await hermod.admin.createAccount({ name: "Shop" });
    expect(await hermod.admin.updateAccount(account.id, { plan: "pro" })).toEqual({
      ...account,
      plan: "pro",
    });
    const { key, id } = await hermod.admin.createAccountKey(account.id, { name: "till" });
    const shop = new Hermod({ url: `${service.url}/v1/`, key });
    expect((await shop.keys.list()).data.map(({ name }) => name)).toEqual(["till"]);
    expect((await shop.usage()).plan).toBe("pro");
    expect(await shop.eventTypes.putSchema("a/b?", { required: ["x"] })).toMatchObject({
      event_type: "a/b?",
    });
    expect((await shop.eventTypes.get("a/b?")).schema).toEqual({ required: ["x"] });
    expect(await shop.stats()).toMatchObject({ total_deliveries: 0, endpoints_count: 0 });
    expect((await hermod.admin.listPlans()).data.map(({ name }) => name)).toContain("starter");
    await hermod.admin.deleteKey(id);
    expect((await hermod.request("get", "/v1/admin/accounts/{id}", { path: account })).name).toBe("Shop");
  });

  test("any route can be called by its method and path, without input if it needs none", async () => {
    const hermod = await newHermod();
    const usage = await hermod.request("get", "/v1/billing/usage");
    expect(usage).toEqual(await hermod.usage());
    const page = await hermod.request("get", "/v1/webhooks", { query: { limit: 1 } });
    expect(page).toMatchObject({ data: [], cursor: null });
    // @ts-expect-error: the types refuse a route without its path parameter, which this test calls all the same
    const incomplete = rejectionOf(hermod.request("get", "/v1/webhooks/{id}"));
    expect(String(await incomplete)).toBe(`TypeError: id can't be ""`);
  });

  test("an invalid base URL is refused when the client is created", () => {
    for (const url of ["", "localhost:3000", "127.0.0.1:3000", "ftp://127.0.0.1", "http://"]) {
      expect(() => new Hermod({ url, key: "k" })).toThrow("must begin with http:// or https://");
    }
  });

  test("a batch returns the result of each item", async () => {
    const hermod = await newHermod();
    const { id } = await hermod.endpoints.create({ url: TARGET });
    const { results } = await hermod.webhooks.sendMany([...sendsTo(id, 1), ...sendsTo("ep_?", 1)]);
    expect(results.map((each) => each.error?.code ?? each.webhook?.status)).toEqual([
      "pending",
      "BAD_REQUEST",
    ]);
    const published = await hermod.events.publishMany([{ event: "order.created", data: {} }]);
    expect(published.results[0]?.event?.deliveries.map((each) => each.endpoint_id)).toEqual([id]);
  });

  test("a payload given as text is sent byte for byte", async () => {
    const client = await service.newClient();
    const hermod = new Hermod({ url: service.url, key: client.key });
    const { id } = await hermod.endpoints.create({ url: TARGET });
    const text = '{"b":12345678901234567890,"a":1.0, "c":"\\u00e9"}';
    const sent = await hermod.webhooks.send({ endpoint_id: id, data: rawJson(` ${text}\n`) });
    expect((await client.get(`/webhooks/${sent.id}`)).text).toContain(`"data":${text}}`);
    expect(() => rawJson("[1")).toThrow(SyntaxError);
  });
});

describe("lists", () => {
  test("are read to their end, each item once, in both directions", async () => {
    const hermod = await newHermod();
    const { id } = await hermod.endpoints.create({ url: TARGET });
    const { results } = await hermod.webhooks.sendMany(sendsTo(id, 250));
    const sent = results.map((each) => each.webhook?.id ?? "refused");
    const newestFirst = await Array.fromAsync(hermod.webhooks.all({ endpoint_id: id }));
    expect(newestFirst.map((each) => each.id)).toEqual(sent.toReversed());
    const oldestFirst = await Array.fromAsync(hermod.webhooks.allOldestFirst({ endpoint_id: id }));
    expect(oldestFirst.map((each) => each.id)).toEqual(sent);
    const unlimited = await Array.fromAsync(hermod.webhooks.all({ limit: undefined }));
    expect(unlimited.map((each) => each.id)).toEqual(sent.toReversed());
    const part = await hermod.webhooks.list({ limit: undefined, status: "pending" });
    expect(part.data.map((each) => each.id)).toEqual(sent.slice(-20).toReversed());
    expect(part.cursor).not.toBeNull();
    expect((await hermod.webhooks.page({ per_page: 1 })).total).toBe(250);
    expect(await Array.fromAsync(hermod.webhooks.all({ status: "failed" }))).toEqual([]);
    expect(await Array.fromAsync(hermod.webhooks.allOldestFirst({ status: "failed" }))).toEqual([]);
    const found = await Array.fromAsync(hermod.webhooks.all({ endpoint_id: id, "data.i": "17" }));
    expect(found.map((each) => each.id)).toEqual(sent.slice(17, 18));
    const endpoints = await Promise.all(
      Array.from({ length: 120 }, () => hermod.endpoints.create({ url: TARGET })),
    );
    const listed = await Array.fromAsync(hermod.endpoints.all());
    expect(listed.map((each) => each.id).toSorted()).toEqual(
      [id, ...endpoints.map((each) => each.id)].toSorted(),
    );
  });

  test("following continues with new deliveries until it is aborted", async () => {
    const hermod = await newHermod();
    const { id } = await hermod.endpoints.create({ url: TARGET });
    await hermod.webhooks.sendMany(sendsTo(id, 150));
    const ending = new AbortController();
    const got: Delivery[] = [];
    const following = (async () => {
      const options = { from: "start", signal: ending.signal };
      for await (const delivery of hermod.webhooks.follow({}, options)) got.push(delivery);
    })();
    await until(() => got.length === 150);
    const { id: last } = await hermod.webhooks.send({ endpoint_id: id, data: {} });
    await until(() => got.length === 151);
    ending.abort();
    await following;
    expect(got.at(-1)?.id).toBe(last);
    expect(new Set(got.map((each) => each.id)).size).toBe(151);
  });
});

describe("failures", () => {
  test("a refusal has status, code and message, and is not retried", async () => {
    await using front = flaky(service.url, []);
    const hermod = new Hermod({ url: front.url, key: "hmd_wrong" });
    const error = await rejectionOf(hermod.stats());
    expect(error).toBeInstanceOf(HermodError);
    expect(error).toMatchObject({ status: 401, code: "UNAUTHORIZED", retryAfter: null });
    expect(front.seen).toHaveLength(1);
  });

  test("reads are retried after 429, 502, 503 and 504, not before the time in Retry-After", async () => {
    await using front = flaky(service.url, [
      { status: 503, retryAfter: "1" },
      { status: 429 },
      { status: 502, body: "<html>" },
      { status: 504 },
    ]);
    const hermod = await newHermod({ url: front.url });
    const startedAt = performance.now();
    expect((await hermod.stats()).total_deliveries).toBe(0);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    expect(front.seen).toHaveLength(5);
  });

  test("a POST is retried only with an Idempotency-Key, and then takes effect once", async () => {
    const direct = await service.newClient();
    await using front = flaky(service.url, [{ status: 503 }, { status: 503 }]);
    const hermod = new Hermod({ url: front.url, key: direct.key });
    expect(await rejectionOf(hermod.endpoints.create({ url: TARGET }))).toMatchObject({
      status: 503,
      code: null,
    });
    expect(front.seen).toHaveLength(1);
    const { id } = await hermod.endpoints.create({ url: TARGET }, { idempotencyKey: "one" });
    expect(front.seen).toHaveLength(3);
    expect(await hermod.endpoints.create({ url: TARGET }, { idempotencyKey: "one" })).toMatchObject({ id });
    const keyed = new Hermod({ url: service.url, key: direct.key, newIdempotencyKey: () => "one" });
    expect(await keyed.endpoints.create({ url: TARGET })).toMatchObject({ id });
    expect((await hermod.stats()).endpoints_count).toBe(1);
  });

  test("a PUT whose answer was lost still returns the new endpoint's secret", async () => {
    await using front = flaky(service.url, [{ status: 504, isCarriedOut: true }]);
    const hermod = await newHermod({ url: front.url });
    const made = await hermod.endpoints.put("orders", { url: TARGET });
    expect(made).toMatchObject({ external_id: "orders", signing_secret: expect.stringMatching(/^whsec_/) });
    expect(await hermod.endpoints.put("orders", { url: TARGET })).not.toHaveProperty("signing_secret");
  });

  test("a long Retry-After is an error instead of a wait", async () => {
    await using front = flaky(service.url, [{ status: 429, retryAfter: "3600" }]);
    const hermod = await newHermod({ url: front.url });
    expect(await rejectionOf(hermod.stats())).toMatchObject({ status: 429, retryAfter: 3_600 });
  });

  test("a missing answer has an error class of its own", async () => {
    const nowhere = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Promise<Response>(() => {}),
    });
    const url = `http://127.0.0.1:${nowhere.port}`;
    const slow = new Hermod({ url, key: "k", timeoutMs: 20, maxRetries: 1 });
    expect(await rejectionOf(slow.stats())).toBeInstanceOf(HermodUnreachable);
    const stopping = new AbortController();
    const stopped = new Hermod({ url, key: "k" }).stats({ signal: stopping.signal });
    stopping.abort(new Error("enough"));
    expect(await rejectionOf(stopped)).toMatchObject({ message: "enough" });
    const page = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>") });
    const behind = new Hermod({ url: page.url.href, key: "k", maxRetries: 0 });
    expect(await rejectionOf(behind.stats())).toBeInstanceOf(HermodUnreachable);
    await page.stop(true);
    await nowhere.stop(true);
    const gone = new Hermod({ url, key: "k", maxRetries: 1 });
    expect(await rejectionOf(gone.stats())).toBeInstanceOf(HermodUnreachable);
  });
});
