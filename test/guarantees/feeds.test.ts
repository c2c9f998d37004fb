import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { fromText } from "../../src/domain/ids";
import { type Behaviour, broken, healthy } from "../support/faults/behaviour";
import { Cluster } from "../support/faults/cluster";
import { textIn } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { until } from "../support/faults/until";

setDefaultTimeout(60_000);

let cluster: Cluster;
let hermod: HermodProcess;
let feed: string;

beforeAll(async () => {
  cluster = await Cluster.start({
    postgres: "shared",
    env: { HERMOD_RETRY_SCHEDULE: "20ms,20ms", HERMOD_LEASE_TTL: "1s" },
  });
  hermod = await cluster.launch("all", "all");
  feed = await newFeed(healthy);
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function newFeed(behaviour: Behaviour): Promise<string> {
  const url = cluster.receivers.newUrl();
  const { status, body } = await cluster.client.ask("POST", "/endpoints", { url, feed: true });
  expect(status).toBe(201);
  const subscription = { endpoint: textIn(body, "id"), secret: textIn(body, "signing_secret") };
  cluster.receivers.open(url, subscription, behaviour);
  return subscription.endpoint;
}

async function newEndpoint(behaviour: Behaviour): Promise<string> {
  const [endpoint] = await cluster.newEndpoints(1, behaviour);
  if (!endpoint) throw new Error("no endpoint was made");
  return endpoint;
}

async function send(endpoint: string): Promise<string> {
  const sent = { endpoint_id: endpoint, event: "order.paid", data: {} };
  const { status, body } = await cluster.client.ask("POST", "/webhooks", sent);
  expect(status).toBe(201);
  return textIn(body, "id");
}

type Report = { webhookId: string; sequence: number; type: string; data: Record<string, unknown> };

/** Returns the reports that the feed's receiver got about an endpoint, in the order of arrival, without repeats. */
function reportsOf(endpoint: string): Report[] {
  const reported = new Map<string, Report>();
  for (const { webhookId, sequence, body, signed } of cluster.book.of(feed)) {
    // A request that a kill cut off has no body.
    if (!signed) continue;
    const { type, data } = JSON.parse(body);
    if (data.endpoint_id === endpoint || data.id === endpoint)
      reported.set(webhookId, { webhookId, sequence, type, data });
  }
  return [...reported.values()];
}

test("failed deliveries are reported, signed and in order", async () => {
  const endpoint = await newEndpoint(broken);
  const failed: string[] = [];
  for (let i = 0; i < 5; i++) failed.push(await send(endpoint));
  await until(() => reportsOf(endpoint).length >= 5, { what: "five that failed" });
  const reported = reportsOf(endpoint);
  expect(reported.map(({ data }) => data.id)).toEqual(failed);
  for (const { type, data } of reported) {
    expect({ type, data }).toMatchObject({
      type: "delivery.failed",
      data: {
        endpoint_id: endpoint,
        event: "order.paid",
        response_status: 500,
        error: null,
      },
    });
  }
  const sequences = reported.map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(cluster.book.of(feed).every(({ signed }) => signed)).toBe(true);
});

test("an endpoint that is gone is reported, and one that recovers", async () => {
  const gone = await newEndpoint(() => new Response("gone", { status: 410 }));
  const sql = await cluster.sql();
  const ill = await newEndpoint(broken);
  await Promise.all([send(gone), send(ill)]);
  await until(() => cluster.book.of(gone).length >= 1, { what: "a 410" });
  const longAgo = () => sql`
    update endpoints set gone_since = now() - interval '1 minute' where gone_since is not null returning id`;
  await until(async () => (await longAgo()).length > 0, { what: "the record of a 410" });
  await send(gone);
  await until(() => reportsOf(gone).some(({ type }) => type === "endpoint.disabled"), {
    what: "one that is gone",
  });
  await until(() => reportsOf(ill).length >= 1, { what: "a failure" });
  await sql`update endpoints set failing_since = now() - interval '1 hour' where id = ${fromText("ep", ill)}`;
  cluster.receivers.change(ill, healthy);
  await send(ill);
  await until(() => reportsOf(ill).length >= 2, { what: "a recovery" });
  expect(reportsOf(gone).at(-1)).toMatchObject({ type: "endpoint.disabled" });
  cluster.receivers.change(gone, healthy);
  await cluster.client.changeEndpoint(gone, { is_active: true });
  expect(reportsOf(ill).map(({ type }) => type)).toEqual(["delivery.failed", "endpoint.recovered"]);
});

test("a delivery that has blocked its order for 15 minutes is reported, and the endpoint's health shows it", async () => {
  const [endpoint = ""] = await cluster.newEndpoints(1, broken, { retry_schedule_ms: [3_600_000] });
  const head = await send(endpoint);
  await send(endpoint);
  const sql = await cluster.sql();
  const makeOlder = async () =>
    (
      await sql`
      update attempts set started_at = started_at - interval '15 minutes' where delivery_id = ${fromText("wh", head)}`
    ).count === 1;
  await until(makeOlder, { what: "a failed attempt" });
  // A process looks for blocked orders at its start, then every minute.
  await hermod.terminate();
  await hermod.start();
  await until(() => reportsOf(endpoint).length === 1, { what: "a report" });
  expect(reportsOf(endpoint)[0]).toMatchObject({
    type: "endpoint.blocked",
    data: { delivery_id: head, behind: 1, reason: "status" },
  });
  const { body } = await cluster.client.ask("GET", `/endpoints/${endpoint}`);
  expect(body).toMatchObject({ health: { state: "blocked", reason: "status", pending: 2 } });
  cluster.receivers.change(endpoint, healthy);
  await cluster.client.ask("POST", `/endpoints/${endpoint}/retry`);
  await cluster.settled();
});

test("a failing feed is reported to no feed", async () => {
  const second = await newFeed(broken);
  const endpoint = await newEndpoint(broken);
  await send(endpoint);
  await until(() => reportsOf(endpoint).length === 1, { what: "a failure" });
  await until(() => cluster.book.of(second).length > 0, { what: "an attempt at the second feed" });
  await cluster.settled();
  const last = await send(endpoint);
  await until(() => reportsOf(endpoint).some(({ data }) => data.id === last), { what: "a later failure" });
  expect(reportsOf(second)).toEqual([]);
  await cluster.client.deleteEndpoint(second);
});

test("killing the process again and again loses and repeats no report", async () => {
  const endpoints = await cluster.newEndpoints(10, broken);
  const failed = await Promise.all(endpoints.map(send));
  for (let kills = 0; kills < 2; kills++) {
    const before = cluster.book.of(feed).length;
    await until(() => cluster.book.of(feed).length > before, { what: "some report" });
    await hermod.kill();
    await hermod.start();
    failed.push(...(await Promise.all(endpoints.map(send))));
  }
  const reported = () => endpoints.flatMap(reportsOf);
  await until(() => reported().length >= failed.length, { what: "all that failed" });
  await cluster.settled();
  expect(
    reported()
      .map(({ data }) => data.id)
      .toSorted(),
  ).toEqual(failed.toSorted());
  for (const endpoint of endpoints) {
    const ids = reportsOf(endpoint).map(({ data }) => String(data.id));
    expect(ids).toEqual(ids.toSorted());
  }
});

test("a feed in a chat's format sends messages that people can read, retried and recorded like any delivery", async () => {
  const bodies = { slack: [] as string[], teams: [] as string[] };
  await using receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const of = bodies[new URL(request.url).pathname === "/slack" ? "slack" : "teams"];
      of.push(await request.text());
      return new Response("ok", { status: of.length === 1 ? 500 : 200 });
    },
  });
  const chats = await Promise.all(
    (["slack", "teams"] as const).map((format) =>
      cluster.client.newEndpoint(new URL(format, receiver.url).href, { feed: true, format }),
    ),
  );
  const failing = await newEndpoint(broken);
  const { id } = await cluster.client.api.webhooks.send({
    endpoint_id: failing,
    event: "<!channel>.paid",
    data: {},
  });
  await until(() => bodies.slack.length === 2 && bodies.teams.length === 2, { what: "two attempts of each" });
  expect(bodies.slack[1]).toBe(bodies.slack[0] ?? "");
  const { text, blocks } = JSON.parse(bodies.slack[0] ?? "");
  expect(text).toBe(`Delivery failed: ${failing}`);
  const fields = blocks[0].fields.map((each: { text: string }) => each.text);
  expect(fields).toContain(`*id*\n${id}`);
  expect(fields).toContain("*event*\n&lt;!channel&gt;.paid");
  const [{ content }] = JSON.parse(bodies.teams[0] ?? "").attachments;
  const lines = content.body.map(({ inlines }: { inlines: { text: string }[] }) =>
    inlines.map((each) => each.text).join(""),
  );
  expect(lines).toContain("event: <!channel>.paid");
  for (const { endpoint } of chats) {
    await until(
      async () => {
        const { data } = await cluster.client.api.webhooks.list({ endpoint_id: endpoint });
        return data.some(({ status, attempt_count }) => status === "delivered" && attempt_count === 2);
      },
      { what: "a delivery that is recorded" },
    );
    await cluster.client.changeEndpoint(endpoint, { is_active: false });
  }
});
