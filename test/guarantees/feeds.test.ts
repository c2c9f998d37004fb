import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fromText } from "../../src/domain/ids";
import { MailReceiver } from "../feeds/mail-receiver";
import { type Behaviour, broken, healthy } from "../support/faults/behaviour";
import { Cluster } from "../support/faults/cluster";
import { textIn } from "../support/faults/hermod-client";
import type { HermodProcess } from "../support/faults/hermod-process";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

let cluster: Cluster;
let mail: MailReceiver;
let hermod: HermodProcess;
let feed: string;

beforeAll(async () => {
  mail = await MailReceiver.open();
  cluster = await Cluster.start({
    postgres: "shared",
    env: {
      HERMOD_RETRY_SCHEDULE: "20ms,20ms",
      HERMOD_LEASE_TTL: "1s",
      HERMOD_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      HERMOD_SMTP_FROM: "Hermod <alerts@hermod.example>",
      HERMOD_SMTP_RECIPIENTS: "@example.com",
    },
  });
  hermod = await cluster.launch("all", "all");
  feed = await newFeed(healthy);
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await mail.close();
});

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

const urlOf = async (endpoint: string) => (await cluster.client.api.endpoints.get(endpoint)).url;

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
  // An endpoint without a name is called by its URL, as in the console.
  expect(text).toBe(`Delivery failed: ${await urlOf(failing)}`);
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

describe("a feed by e-mail", () => {
  const ALERTS = { url: "mailto:ops@example.com", format: "email", feed: true } as const;

  /** Creates the endpoint, and stops it when it is disposed of: all tests share one account. */
  async function mailFeed(settings: object = {}) {
    const { status, body } = await cluster.client.ask("POST", "/endpoints", { ...ALERTS, ...settings });
    expect({ status, body }).toMatchObject({ status: 201 });
    const id = textIn(body, "id");
    mail.accepted.length = 0;
    mail.recipients.length = 0;
    return { id, [Symbol.asyncDispose]: () => cluster.client.changeEndpoint(id, { is_active: false }) };
  }

  /** Sends a test event, and resolves once its delivery has ended. */
  async function tested(endpoint: string) {
    const { id } = await cluster.client.api.endpoints.test(endpoint);
    return endOf(id);
  }

  function endOf(id: string) {
    return until(
      async () => {
        const delivery = await cluster.client.api.webhooks.get(id);
        return delivery.status === "pending" ? null : delivery;
      },
      { what: "the end of a delivery" },
    );
  }

  test("is in order, retried and recorded like any delivery; its Message-ID names the delivery", async () => {
    await using feed = await mailFeed({ event_filter: "delivery.failed" });
    mail.refusals.push({ at: "RCPT TO", code: 451, words: "4.7.1 greylisted" });
    const failing = await newEndpoint(broken);
    const failed = [await send(failing), await send(failing)];
    await mail.received(2);
    const texts = mail.accepted.map(({ body }) => body);
    expect(texts.map((text) => /^id: (\S+)/m.exec(text)?.[1])).toEqual(failed);
    expect(texts[0]).toStartWith(`Delivery failed: ${await urlOf(failing)}\r\n\r\n`);
    expect(mail.recipients).toEqual(Array(3).fill("ops@example.com"));
    const deliveries = async () => {
      const { data } = await cluster.client.api.webhooks.list({ endpoint_id: feed.id, status: "delivered" });
      return data.length === 2 ? data.toReversed() : null;
    };
    const [first] = await until(deliveries, { what: "two deliveries" });
    const { attempts, response_status } = await cluster.client.api.webhooks.get(first?.id ?? "");
    expect(response_status).toBe(250);
    expect(attempts).toMatchObject([
      {
        status: 451,
        response_body: "451 4.7.1 greylisted",
        error: null,
        request_headers: null,
        address: null,
      },
      { status: 250, response_body: "250 queued as 1" },
    ]);
    expect(mail.accepted[0]?.head).toContain(`Message-ID: <${first?.id}@hermod.example>`);
  });

  test("fails at once when the mail server refuses the recipient for good", async () => {
    await using feed = await mailFeed();
    mail.refusals.push({ at: "RCPT TO", code: 550, words: "5.1.1 no such mailbox" });
    expect(await tested(feed.id)).toMatchObject({
      status: "failed",
      attempts: [{ status: 550, response_body: "550 5.1.1 no such mailbox" }],
    });
    expect(await tested(feed.id)).toMatchObject({ status: "delivered", attempt_count: 1 });
    expect(mail.accepted).toHaveLength(1);
    expect(mail.accepted[0]?.head).toContain("Subject: hermod.test");
  });

  test("does not blame the endpoint for the mail server", async () => {
    await using feed = await mailFeed();
    for (let i = 0; i < 3; i++)
      mail.refusals.push({ at: "CONNECT", code: 554, words: "mail.internal is closed" });
    const { attempts, status } = await tested(feed.id);
    expect(status).toBe("failed");
    const fault = {
      status: 0,
      error: "mail_server",
      error_detail: "mail_server_refused",
      response_body: null,
    };
    expect(attempts).toMatchObject([fault, fault, fault]);
    expect((await cluster.client.api.endpoints.get(feed.id)).health).toMatchObject({ state: "healthy" });
  });

  test("goes to one permitted address, and to nothing but a feed", async () => {
    const goesWith =
      "format email goes with a url such as mailto:ops@example.com, feed: true and no headers; other formats need an http or https url";
    const onePlain = "url must be mailto: and one plain address, such as mailto:ops@example.com";
    const refusals: [object, string][] = [
      [
        { url: "mailto:ops@other.example" },
        "url must have a recipient that this service permits (HERMOD_SMTP_RECIPIENTS)",
      ],
      [{ url: "mailto:ops@example.com?bcc=all@other.example" }, onePlain],
      [{ url: "mailto:ops@example.com,all@other.example" }, onePlain],
      [
        { url: "mailto:ops@example.com\r\nBcc: all@other.example" },
        "url must not contain control characters",
      ],
      [{ url: "https://example.com/hooks" }, goesWith],
      [{ format: "slack" }, goesWith],
      [{ format: undefined }, goesWith],
      [{ feed: false }, goesWith],
      [{ headers: { "x-a": "b" } }, goesWith],
    ];
    for (const [change, message] of refusals) {
      const { status, body } = await cluster.client.ask("POST", "/endpoints", { ...ALERTS, ...change });
      expect({ change, status, body }).toEqual({
        change,
        status: 400,
        body: { error: { code: "BAD_REQUEST", message } },
      });
    }
    await using feed = await mailFeed({ url: "MailTo:Ops@Example.COM" });
    expect((await cluster.client.api.endpoints.get(feed.id)).url).toBe("mailto:Ops@example.com");
    for (const change of [
      { url: "https://example.com/hooks" },
      { format: "payload" },
      { feed: false },
      { headers: { a: "b" } },
    ]) {
      const { status, body } = await cluster.client.ask("PATCH", `/endpoints/${feed.id}`, change);
      expect({ change, status, body }).toMatchObject({
        change,
        status: 400,
        body: { error: { message: goesWith } },
      });
    }
    const back = { url: "https://example.com/hooks", format: "payload", feed: false };
    expect(await cluster.client.ask("PATCH", `/endpoints/${feed.id}`, back)).toMatchObject({ status: 200 });
  });
});
