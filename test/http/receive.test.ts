import { describe, expect, test } from "bun:test";
import { fromText } from "../../src/domain/ids";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { Client, expectError, type Json } from "./client";
import { startTestService, useService } from "./service";

const service = await useService();
const client = await service.newClient();

/** An endpoint whose receiver reads, with the receiver's key. */
async function reader(settings: object = {}) {
  const { id } = await client.expecting(201, client.post("/endpoints", { delivery: "pull", ...settings }));
  const { key } = await client.expecting(201, client.post(`/endpoints/${id}/receiver-keys`, {}));
  const receiver = new Client(service.url, client.accountId, key);
  const path = `/endpoints/${id}/receive`;
  const ask = (body: object = {}) => receiver.post(path, body);
  const take = (body: object = {}): Promise<Json> => receiver.expecting(200, ask(body));
  return { id, ask, take, at: (url: string) => receiver.at(url) };
}

async function send(endpoint: string, from: number, to = from, more: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = from; n <= to; n++) {
    const body = { endpoint_id: endpoint, event: "order.paid", data: { n }, ...more };
    const { id } = await client.expecting(201, client.post("/webhooks", body));
    ids.push(id);
  }
  return ids;
}

const sequences = ({ data }: Json): number[] => data.map(({ sequence }: Json) => sequence);

/** Ends the time that receivers have for the endpoint's pages. */
async function endLeases(endpoint: string): Promise<void> {
  const id = fromText("ep", endpoint) ?? "";
  await service.database.db.run(
    (sql) => sql`update pulls set ends_at = now() - interval '1 second' where endpoint_id = ${id}`,
  );
}

const statusOf = async (id: string): Promise<Json> => (await client.get(`/webhooks/${id}`)).body;

describe("an ordered endpoint", () => {
  test("hands pages out in sequence, and the acknowledgement of one brings the next", async () => {
    const { id, take } = await reader();
    const [first = "", second = ""] = await send(id, 1, 5);
    const page = await take({ limit: 2 });
    expect(page.data[0]).toEqual({
      id: first,
      webhook_id: first,
      event: "order.paid",
      sequence: 1,
      ordering_key: null,
      attempt: 1,
      created_at: expect.stringMatching(/Z$/),
      data: { n: 1 },
    });
    expect(sequences(page)).toEqual([1, 2]);
    const next = await take({ limit: 2, receipt: page.receipt, ack_through: 2 });
    expect(sequences(next)).toEqual([3, 4]);
    expect(await statusOf(second)).toMatchObject({
      status: "delivered",
      attempt_count: 1,
      attempts: [{ attempt: 1, kind: "pulled", status: 200, error: null, request_headers: null }],
    });
    const rest = await take({ receipt: next.receipt, ack_through: 4 });
    expect(sequences(rest)).toEqual([5]);
    expect(await take({ receipt: rest.receipt, ack_through: 5 })).toEqual({ data: [], receipt: null });
    expect((await client.get(`/endpoints/${id}/stats`)).body).toMatchObject({
      pending: 0,
      recent: { delivered: 5, attempts: 5 },
    });
  });

  test("hands out resends and events with the webhook id that a request would have", async () => {
    const { id, take } = await reader({ event_filter: "shop.opened" });
    const event = { event_id: "shop-1", event: "shop.opened", data: {} };
    await client.expecting(201, client.post("/events", event));
    const page = await take();
    expect(page.data[0].webhook_id).toBe(`shop-1:${id}`);
    await take({ limit: 0, receipt: page.receipt, ack_through: 1 });
    await client.expecting(201, client.post(`/webhooks/${page.data[0].id}/resend`));
    expect((await take()).data[0]).toMatchObject({ sequence: 2, webhook_id: `shop-1:${id}` });
  });

  test("hands a payload out byte for byte", async () => {
    const { id, ask } = await reader();
    const data = '{ "b" : 12345678901234567890.10, "a":"\\u00e9" ,"b":1e400}';
    await client.expecting(
      201,
      client.post("/webhooks", `{"endpoint_id":"${id}","event":"order.paid","data":${data}}`),
    );
    expect((await ask()).text).toContain(`"data":${data}}`);
  });

  test("hands out nothing to a second receiver until the first one's time is over, and then refuses the first", async () => {
    const { id, ask, take } = await reader();
    const [first = ""] = await send(id, 1, 3);
    const mine = await take({ limit: 2 });
    expect(await take()).toEqual({ data: [], receipt: null });
    await endLeases(id);
    const theirs = await take({ limit: 2 });
    expect(theirs.data.map(({ sequence, attempt }: Json) => [sequence, attempt])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    expectError(await ask({ receipt: mine.receipt, ack_through: 2 }), 409, "CONFLICT", "receipt is outdated");
    expect(await statusOf(first)).toMatchObject({
      status: "pending",
      attempts: [{ attempt: 1, error: "lease_expired", status: 0 }],
    });
    expect(sequences(await take({ receipt: theirs.receipt, ack_through: 2 }))).toEqual([3]);
    expect(await statusOf(first)).toMatchObject({ status: "delivered", attempt_count: 2 });
  });

  test("takes an acknowledgement after the time is over, while nobody else has the page", async () => {
    const { id, take } = await reader();
    await send(id, 1, 2);
    const page = await take({ limit: 1 });
    await endLeases(id);
    expect(sequences(await take({ receipt: page.receipt, ack_through: 1 }))).toEqual([2]);
  });

  test("hands a page out again to a receiver that lost the answer", async () => {
    const { id, take } = await reader();
    await send(id, 1, 4);
    const page = await take({ limit: 2 });
    const again = { limit: 2, receipt: page.receipt, ack_through: 2 };
    expect(sequences(await take(again))).toEqual([3, 4]);
    const repeated = await take(again);
    expect(repeated.data.map(({ sequence, attempt }: Json) => [sequence, attempt])).toEqual([
      [3, 1],
      [4, 1],
    ]);
    expect(sequences(await take({ receipt: repeated.receipt, ack_through: 4 }))).toEqual([]);
  });

  test("continues with what an acknowledgement leaves out", async () => {
    const { id, take } = await reader();
    await send(id, 1, 3);
    const page = await take();
    expect(sequences(await take({ receipt: page.receipt, ack_through: 1 }))).toEqual([2, 3]);
  });

  test("repeats a failed delivery by its schedule, and holds back those behind it", async () => {
    const { id, ask, take } = await reader({ retry_schedule_ms: [3_600_000] });
    const [, failing = ""] = await send(id, 1, 3);
    const page = await take();
    const third = page.data[2].id;
    const wrong = { receipt: page.receipt, ack_through: 1, fail: [{ id: third, error: "no" }] };
    expectError(await ask(wrong), 400, "BAD_REQUEST", "first delivery behind ack_through");
    const fail = [{ id: failing, error: "the ledger is closed" }];
    expect(await take({ receipt: page.receipt, ack_through: 1, fail })).toEqual({ data: [], receipt: null });
    expect(await statusOf(failing)).toMatchObject({
      status: "pending",
      attempts: [{ error: "receiver_failed", response_body: "the ledger is closed" }],
    });
    expect((await client.get(`/endpoints/${id}`)).body.health.state).toBe("failing");
    await client.expecting(200, client.patch(`/endpoints/${id}`, { retry_schedule_ms: [] }));
    const again = await take();
    expect(again.data.map(({ sequence, attempt }: Json) => [sequence, attempt])).toEqual([
      [2, 2],
      [3, 1],
    ]);
    await take({ receipt: again.receipt, fail });
    expect(await statusOf(failing)).toMatchObject({ status: "failed", attempt_count: 2 });
  });

  test("only acknowledges with limit 0", async () => {
    const { id, take } = await reader();
    const [, second = ""] = await send(id, 1, 3);
    const { receipt } = await take({ limit: 2 });
    expect(await take({ limit: 0, receipt, ack_through: 2 })).toEqual({ data: [], receipt: null });
    expect((await statusOf(second)).status).toBe("delivered");
    expect(sequences(await take())).toEqual([3]);
  });
});

describe("an endpoint with an order for each key", () => {
  test("hands out one delivery of each key, to several receivers, and the next one once it is acknowledged", async () => {
    const { id, take } = await reader({ ordering: "by_key" });
    const [a1 = ""] = await send(id, 1, 2, { ordering_key: "a" });
    await send(id, 3, 4, { ordering_key: "b" });
    await send(id, 5, 6);
    const one = await take({ limit: 2 });
    const two = await take({ limit: 10 });
    expect([...sequences(one), ...sequences(two)].toSorted()).toEqual([1, 3, 5]);
    expect(await take()).toEqual({ data: [], receipt: null });
    const holder = sequences(one).includes(1) ? one : two;
    const next = await take({ receipt: holder.receipt, ack: [a1] });
    expect(sequences(next)).toEqual([2]);
    await endLeases(id);
    expect(sequences(await take()).toSorted()).toEqual([2, 3, 5]);
  });
});

describe("an unordered endpoint", () => {
  test("hands out everything, to several receivers, and again what failed or was not acknowledged", async () => {
    const { id, ask, take } = await reader({ ordering: "unordered", retry_schedule_ms: [3_600_000] });
    const [first = "", second = ""] = await send(id, 1, 5);
    const one = await take({ limit: 2 });
    const two = await take({ limit: 2 });
    expect([sequences(one), sequences(two)]).toEqual([
      [1, 2],
      [3, 4],
    ]);
    const rest = await take({ receipt: one.receipt, ack: [first], fail: [{ id: second, error: "busy" }] });
    expect(sequences(rest)).toEqual([5]);
    expectError(await ask({ receipt: one.receipt, ack: [first] }), 409, "CONFLICT");
    await take({ limit: 0, receipt: two.receipt, ack_through: 4 });
    await endLeases(id);
    const again = await take();
    expect(again.data.map(({ sequence, attempt }: Json) => [sequence, attempt])).toEqual([[5, 2]]);
    await take({ limit: 0, receipt: again.receipt, ack_through: 5 });
    await client.expecting(200, client.post(`/endpoints/${id}/retry`));
    expect(sequences(await take())).toEqual([2]);
  });
});

describe("a page that is handed back", () => {
  test.each(["ordered", "by_key", "unordered"])(
    "is read again at once, in the same attempts: %s",
    async (ordering) => {
      const { id, take } = await reader({ ordering });
      for (const n of [1, 2, 3, 4]) await send(id, n, n, { ordering_key: `k${n}` });
      const page = await take({ limit: 3 });
      const attempts = ({ data }: Json) => data.map(({ sequence, attempt }: Json) => [sequence, attempt]);
      await take({ limit: 0, receipt: page.receipt, ack_through: 1, release: true });
      const again = await take();
      expect(attempts(again).toSorted()).toEqual([
        [2, 1],
        [3, 1],
        [4, 1],
      ]);
      expect(await take({ receipt: again.receipt, ack_through: 4 })).toEqual({ data: [], receipt: null });
    },
  );
});

describe("a request", () => {
  test("waits until a delivery is there", async () => {
    const { id, take } = await reader();
    const waiting = take({ wait: 30 });
    await send(id, 1);
    expect(sequences(await waiting)).toEqual([1]);
  });

  test("waits also for a delivery that another process accepts", async () => {
    const { id, at } = await reader();
    const other = await startTestService({ beside: service });
    atEnd(other.stop);
    const waiting = at(other.url).post(`/endpoints/${id}/receive`, { wait: 30 });
    await until(() => other.dependencies.pulls.wakers.size === 1);
    await send(id, 1);
    expect(sequences((await waiting).body)).toEqual([1]);
  });

  test("is answered empty when its wait is over", async () => {
    const { take } = await reader();
    expect(await take({ wait: 0.05 })).toEqual({ data: [], receipt: null });
  });

  test("gets nothing from an endpoint that is paused, and everything once it is active", async () => {
    const { id, take } = await reader();
    await client.expecting(200, client.patch(`/endpoints/${id}`, { is_active: false }));
    await send(id, 1);
    expect(await take()).toEqual({ data: [], receipt: null });
    await client.expecting(200, client.patch(`/endpoints/${id}`, { is_active: true }));
    expect(sequences(await take())).toEqual([1]);
  });

  test.each([
    [{ ack_through: 1 }, "need the receipt"],
    [{ release: true }, "need the receipt"],
    [{ receipt: "no", ack: ["x"] }, "ack must name deliveries by their ids"],
    [{ limit: 501 }, "limit"],
    [{ wait: 31 }, "wait"],
    [{ lease: 601 }, "lease"],
    [{ acks: [] }, "acks"],
  ])("is refused with %j", async (body, part) => {
    const { ask } = await reader();
    expectError(await ask(body), 400, "BAD_REQUEST", part);
  });

  test("is refused for an endpoint that is pushed, and for an unknown one", async () => {
    const pushed: Json = await client.newEndpoint();
    expectError(await client.post(`/endpoints/${pushed.id}/receive`, {}), 409, "CONFLICT", "pushed");
    const { id } = await reader();
    await client.expecting(200, client.delete(`/endpoints/${id}`));
    expectError(await client.post(`/endpoints/${id}/receive`, {}), 404, "NOT_FOUND");
  });
});

describe("a test event for a receiver that reads", () => {
  test("is read like any delivery, and refused if it is to have a forged signature", async () => {
    const { id, take } = await reader();
    const { id: sent } = await client.expecting(201, client.post(`/endpoints/${id}/test`, {}));
    expect((await take()).data[0]).toMatchObject({ id: sent, event: "hermod.test" });
    const forged = await client.post(`/endpoints/${id}/test`, { forged: true });
    expectError(forged, 409, "CONFLICT", 'forged needs an endpoint with delivery "push"');
  });
});

describe("a delivery of an endpoint that is pulled", () => {
  test.each(["ordered", "by_key", "unordered"])(
    "waits for its receiver, and not for anything else: %s",
    async (ordering) => {
      const settings = { ordering, rate_limit: 1, ...(ordering !== "ordered" && { max_in_flight: 1 }) };
      const { id, take } = await reader(settings);
      const [first = "", second = ""] = [...(await send(id, 1, 2, { ordering_key: "a" }))];
      const waits = async () =>
        Promise.all([first, second].map(async (each) => (await statusOf(each)).waiting_for));
      const behind = ordering === "by_key" ? { reason: "turn" } : { reason: "receiver" };
      const [one, two] = await waits();
      expect(one).toEqual({ reason: "receiver" });
      expect(two).toMatchObject(behind);
      const { receipt } = await take({ limit: 1 });
      const [read, other] = await waits();
      expect(read).toEqual({ reason: "receiver", acknowledge_by: expect.stringMatching(/Z$/) });
      expect(other).toMatchObject(behind);
      await take({ limit: 0, receipt, fail: [{ id: first, error: "no", retry_after: 3_000 }] });
      const [failed, last] = await waits();
      expect(failed).toMatchObject({ reason: "retry" });
      expect(last).toMatchObject(ordering === "unordered" ? { reason: "receiver" } : { reason: "turn" });
    },
  );
});

describe("an endpoint's way of delivery", () => {
  test("is push with a url, and pull without one", async () => {
    const { id } = await reader();
    expect((await client.get(`/endpoints/${id}`)).body).toMatchObject({ delivery: "pull", url: null });
    const url = "https://example.com/hooks";
    const refused: [object, string][] = [
      [{}, "url is required"],
      [{ delivery: "push" }, "url is required"],
      [{ delivery: "pull", url }, "url must be left out"],
    ];
    for (const [body, part] of refused)
      expectError(await client.post("/endpoints", body), 400, "BAD_REQUEST", part);
    for (const body of [{ delivery: "push" }, { url }])
      expectError(await client.patch(`/endpoints/${id}`, body), 400, "BAD_REQUEST", "in the same request");
    const pushed = await client.patch(`/endpoints/${id}`, { delivery: "push", url });
    expect(pushed.body).toMatchObject({ delivery: "push", url });
    const pulled = await client.patch(`/endpoints/${id}`, { delivery: "pull" });
    expect(pulled.body).toMatchObject({ delivery: "pull", url: null });
  });

  test("switches to pull once a push that may be in flight has ended", async () => {
    const { id } = await client.newEndpoint();
    await send(id, 1);
    await client.expecting(200, client.patch(`/endpoints/${id}`, { delivery: "pull" }));
    const take = (): Promise<Json> => client.expecting(200, client.post(`/endpoints/${id}/receive`, {}));
    expect(await take()).toEqual({ data: [], receipt: null });
    const uuid = fromText("ep", id) ?? "";
    await service.database.db.run(
      (sql) => sql`update endpoints set switched_until = now() where id = ${uuid}`,
    );
    expect(sequences(await take())).toEqual([1]);
  });

  test("switches to push once receivers have acknowledged their pages, which they still can", async () => {
    const { id, ask, take } = await reader();
    await send(id, 1, 3);
    const { receipt } = await take({ limit: 2 });
    const url = "https://example.com/hooks";
    await client.expecting(200, client.patch(`/endpoints/${id}`, { delivery: "push", url }));
    const uuid = fromText("ep", id) ?? "";
    const held = async () => {
      const [row] = await service.database.db.run(
        (sql) => sql`select switched_until > now() as held from endpoints where id = ${uuid}`,
      );
      return row?.held;
    };
    expect(await held()).toBe(true);
    expectError(await ask(), 409, "CONFLICT", "pushed");
    expect(await take({ receipt, ack_through: 1 })).toEqual({ data: [], receipt: null });
    expect(await held()).toBeNull();
  });
});
