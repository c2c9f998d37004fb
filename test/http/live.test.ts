import { afterEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { LIVE_STREAMS } from "../../src/api/live/live-streams";
import { EventParser, type LiveEvent } from "../../src/client/live-events";
import { MAX_WATCHED } from "../../src/deliveries/tail";
import { until } from "../support/faults/until";
import { recordAttempt } from "./attempts";
import { Browser } from "./browser";
import { type Client, expectError, type Json } from "./client";
import { newPortalSession } from "./portal-session";
import { startTestService, useService } from "./service";

const service = await useService();
/** A second process on the same database. */
const other = await useService({ beside: service });

type Stream = {
  events: LiveEvent[];
  /** The received events, without comments. */
  data(name?: string): Json[];
  response: Response;
  ended: Promise<void>;
  close(): void;
};
const open: Stream[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function follow(path: string, headers: Record<string, string>, url = service.url): Promise<Stream> {
  const closing = new AbortController();
  const response = await fetch(`${url}/v1${path}`, { headers, signal: closing.signal });
  expect({ path, status: response.status }).toEqual({ path, status: 200 });
  const events: LiveEvent[] = [];
  const read = async () => {
    const parser = new EventParser();
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) events.push(...parser.push(decoder.decode(bytes)));
  };
  const stream = {
    events,
    data: (name = "delivery") =>
      events.filter((each) => each.name === name).map((each) => JSON.parse(each.data)),
    response,
    ended: read().catch(() => {}),
    close: () => closing.abort(),
  };
  open.push(stream);
  // The first event contains only the position.
  await until(() => events.length > 0);
  return stream;
}

const by = ({ key }: Client) => ({ authorization: `Bearer ${key}` });

async function newSender() {
  const client = await service.newClient();
  const endpoint = await client.newEndpoint();
  return { client, send: (event = "a.b", data = {}) => client.send(endpoint.id, event, data), endpoint };
}

describe("following deliveries", () => {
  test("sends each delivery accepted from then on, by any process, once and in order", async () => {
    const { client, send } = await newSender();
    await send();
    const here = await follow("/webhooks/tail", by(client));
    const there = await follow("/webhooks/tail", by(client), other.url);
    const sent: string[] = [];
    for (let i = 0; i < 5; i++) sent.push((await send(`n.${i}`)).id);
    for (const { data, response } of [here, there]) {
      await until(() => data().length === 5);
      expect(data().map(({ id }) => id)).toEqual(sent);
      expect(response.headers.get("content-type")).toStartWith("text/event-stream");
      expect(response.headers.get("x-accel-buffering")).toBe("no");
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
    const { body } = await client.get(`/webhooks/${sent[0]}`);
    const [first] = here.data();
    expect(first.sequence).toBe(2);
    expect(body).toMatchObject(first);
  });

  test("continues after the last event, at any process, without a gap or a repeat", async () => {
    const { client, send } = await newSender();
    const sent: string[] = [];
    for (let i = 0; i < 250; i++) sent.push((await send()).id);
    const got: string[] = [];
    let from: LiveEvent | undefined;
    // Breaks off in the middle of events that were sent together.
    for (const [part, url] of [
      [70, service.url],
      [60, other.url],
      [120, service.url],
    ] as const) {
      const resumed = { ...by(client), ...(from?.id && { "last-event-id": from.id }) };
      const stream = await follow("/webhooks/tail?iterator=start", resumed, url);
      await until(() => stream.data().length >= part);
      const events = stream.events.filter(({ name }) => name === "delivery").slice(0, part);
      stream.close();
      from = events.at(-1);
      got.push(...events.map(({ data }) => JSON.parse(data).id));
    }
    expect(got).toEqual(sent);
    const iterated = await client.get(`/webhooks?iterator=${from?.id}`);
    expect(iterated.body.data).toEqual([]);
  });

  test("misses no commit that takes longer than later ones", async () => {
    const { client, send } = await newSender();
    const stream = await follow("/webhooks/tail", by(client));
    const mayCommit = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const slow = service.database.db.transaction(async (sql) => {
      await sql`select pg_current_xact_id()`;
      began.resolve();
      await mayCommit.promise;
    });
    await began.promise;
    const { id } = await send();
    const idAtFirst = stream.events.at(-1)?.id;
    mayCommit.resolve();
    await slow;
    await until(() => stream.data().length === 1);
    expect(stream.data()[0].id).toBe(id);
    expect(stream.events.at(-1)?.id).not.toBe(idAtFirst);
  });

  test("shows the changes of a pending delivery", async () => {
    const { client, send } = await newSender();
    const stream = await follow("/webhooks/tail", by(client));
    const sent = await send();
    await until(() => stream.data().length === 1);
    await recordAttempt(service.database.db, sent, { status: 500 });
    await until(() => stream.data("update").length === 1);
    await recordAttempt(service.database.db, sent, { status: 200 });
    await until(() => stream.data("update").length === 2);
    const states = stream.data("update").map(({ id, status, attempt_count }) => [id, status, attempt_count]);
    expect(states).toEqual([
      [sent.id, "pending", 1],
      [sent.id, "delivered", 2],
    ]);
  });

  test("accepts filters: event type, endpoint, payload, and the status that a delivery reaches", async () => {
    const { client, send, endpoint } = await newSender();
    const elsewhere = await client.newEndpoint();
    const paths = [
      "?event_type=a.b",
      `?endpoint_id=${elsewhere.id}`,
      "?data.n=7",
      "?status=failed",
      `?event_type=none&endpoint_id=${endpoint.id}`,
    ];
    const streams = await Promise.all(paths.map((query) => follow(`/webhooks/tail${query}`, by(client))));
    const plain = await send("a.b");
    const there = await client.send(elsewhere.id, "c");
    const seven = await send("d", { n: 7 });
    await recordAttempt(service.database.db, seven, { status: 0, error: "timeout", verdict: "failed" });
    await until(() => streams.slice(0, 4).every(({ data }) => data().length > 0));
    expect(streams.map(({ data }) => data().map(({ id }) => id))).toEqual([
      [plain.id],
      [there.id],
      [seven.id],
      [seven.id],
      [],
    ]);
    expect(streams[3]?.data()[0].status).toBe("failed");
  });

  test("shows no other account's deliveries, and accepts no other account's position", async () => {
    const [mine, theirs] = [await newSender(), await newSender()];
    const stream = await follow("/webhooks/tail", by(mine.client));
    await theirs.send();
    const own = await mine.send();
    await until(() => stream.data().length > 0);
    expect(stream.data().map(({ id }) => id)).toEqual([own.id]);
    const headers = { "last-event-id": stream.events.at(-1)?.id ?? "" };
    expectError(await theirs.client.get("/webhooks/tail", headers), 400, "BAD_REQUEST", "iterator");
  });

  test("watches a limited number of pending deliveries, the latest", async () => {
    const { client, send, endpoint } = await newSender();
    const stream = await follow("/webhooks/tail", by(client));
    const first = await send();
    const webhooks = Array.from({ length: MAX_WATCHED }, () => ({ endpoint_id: endpoint.id, data: {} }));
    expect((await client.post("/webhooks/batch", { webhooks })).status).toBe(200);
    await until(() => stream.data().length === MAX_WATCHED + 1);
    const last = stream.data().at(-1);
    for (const { id } of [first, last])
      expect((await client.post(`/webhooks/${id}/cancel`)).status).toBe(200);
    await until(() => stream.data("update").length > 0);
    expect(stream.data("update").map(({ id }) => id)).toEqual([last.id]);
  });
});

describe("following jobs", () => {
  test("begins with the latest, and shows the progress of each", async () => {
    const { client } = await newSender();
    const before = await client.expecting(202, client.post("/erasures", { event: "a" }));
    const stream = await follow("/jobs/tail", by(client));
    await until(() => stream.data("job").length === 1);
    const job = await client.expecting(202, client.post("/erasures", { event: "b" }));
    await client.post(`/jobs/${before.id}/cancel`);
    await until(() => stream.data("job").length === 3);
    expect(stream.data("job").map(({ id, status }) => [id, status])).toContainEqual([before.id, "cancelled"]);
    expect(stream.data("job").map(({ id }) => id)).toContain(job.id);
  });
});

describe("a stream", () => {
  test("ends when its key is revoked", async () => {
    const { client } = await newSender();
    const reader = await service.newKey(client.accountId, ["webhooks:read"]);
    const stream = await follow("/webhooks/tail", by(reader));
    const { body } = await reader.get("/me");
    expect((await client.delete(`/keys/${body.key_id}`)).status).toBe(200);
    await stream.ended;
    expect((await reader.get("/webhooks/tail")).status).toBe(401);
  });

  test("of a session ends with the session", async () => {
    const { client } = await newSender();
    const page = await Browser.signedIn(client);
    const cookie = `hermod-${new URL(service.url).port}=${page.token}`;
    const stream = await follow("/webhooks/tail", { cookie, "sec-fetch-site": "same-origin" });
    await page.ask("DELETE", "/sessions");
    await stream.ended;
  });

  test("ends when the service stops, so that its reader reconnects elsewhere", async () => {
    const third = await startTestService({ beside: service });
    const { client } = await newSender();
    const stream = await follow("/webhooks/tail", by(client), third.url);
    third.dependencies.liveStreams.close();
    await stream.ended;
    await third.stop();
  });

  test("counts against a limit, until its reader disconnects", async () => {
    const { client } = await newSender();
    const streams: Stream[] = [];
    for (let i = 0; i < LIVE_STREAMS.ofAccount; i++) streams.push(await follow("/jobs/tail", by(client)));
    const refused = await client.get("/webhooks/tail");
    expectError(refused, 429, "RATE_LIMIT_EXCEEDED", "streams");
    expect(refused.headers.get("retry-after")).toBe("10");
    const another = await newSender();
    await follow("/webhooks/tail", by(another.client));
    streams[0]?.close();
    while ((await client.ask("HEAD", "/webhooks/tail?iterator=now")).status !== 200) await Bun.sleep(5);
    for (;;) {
      const response = await fetch(`${service.url}/v1/jobs/tail`, { headers: by(client) });
      await response.body?.cancel();
      if (response.status === 200) break;
      await Bun.sleep(5);
    }
  });

  test("of portal sessions counts against limits of the session and of all sessions, not the account's", async () => {
    const { client } = await newSender();
    const session = () => newPortalSession(service, client, { capabilities: ["view"] });
    const [first, second] = [await session(), await session()];
    const tailOf = (headers: Record<string, string>) => fetch(`${service.url}/v1/webhooks/tail`, { headers });
    for (let i = 0; i < LIVE_STREAMS.ofSession; i++) await follow("/webhooks/tail", first);
    expect((await tailOf(first)).status).toBe(429);
    for (let i = 0; i < LIVE_STREAMS.ofSession; i++) await follow("/webhooks/tail", second);
    for (let left = LIVE_STREAMS.ofAccountsPortals - 2 * LIVE_STREAMS.ofSession; left > 0; ) {
      const another = await session();
      for (let i = 0; i < LIVE_STREAMS.ofSession && left > 0; i++, left--)
        await follow("/webhooks/tail", another);
    }
    expect((await tailOf(await session())).status).toBe(429);
    for (let i = 0; i < LIVE_STREAMS.ofAccount; i++) await follow("/webhooks/tail", by(client));
  });

  test("does not begin for HEAD", async () => {
    const { client } = await newSender();
    for (let i = 0; i <= LIVE_STREAMS.ofAccount; i++)
      expect(await client.ask("HEAD", "/webhooks/tail")).toMatchObject({ status: 200, text: "" });
  });

  test("reads no more than its reader takes", async () => {
    const { client, endpoint } = await newSender();
    const data = { text: "x".repeat(100) };
    const webhooks = Array.from({ length: 1_000 }, () => ({
      endpoint_id: endpoint.id,
      event: "e".repeat(250),
      data,
    }));
    for (let i = 0; i < 20; i++)
      expect((await client.post("/webhooks/batch", { webhooks })).status).toBe(200);
    let steps = 0;
    const { deliveries } = service.dependencies;
    const iterate = deliveries.iterate.bind(deliveries);
    deliveries.iterate = (...asked) => {
      steps++;
      return iterate(...asked);
    };
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    socket.pause();
    socket.write(
      `GET /v1/webhooks/tail?iterator=start HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.key}\r\n\r\n`,
    );
    // It stops reading once the connection's buffers are full.
    let before = -1;
    while (before !== steps || steps === 0) {
      before = steps;
      await Bun.sleep(300);
    }
    const whenFull = steps;
    let bytes = 0;
    socket.on("data", (chunk) => {
      bytes += chunk.length;
    });
    socket.resume();
    await until(() => steps > 200);
    expect(whenFull).toBeLessThan(200);
    expect(bytes).toBeGreaterThan(0);
    socket.destroy();
    deliveries.iterate = iterate;
  });
});
