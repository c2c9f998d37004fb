import { describe, expect, test } from "bun:test";
import { Hermod, type HermodOptions, type PullOptions, rawJson } from "../../src/client";
import { fromText } from "../../src/domain/ids";
import { useService } from "../http/service";
import { flaky } from "./flaky";

const ORDERINGS = ["ordered", "by_key", "unordered"] as const;

const service = await useService();
const { key } = await service.newClient();
const sender = new Hermod({ url: service.url, key });

/** An endpoint that is read, with the client of its receiver. */
async function newReader(settings: object = {}, count = 5) {
  const { id } = await sender.endpoints.create({ delivery: "pull", ...settings });
  await send(id, count);
  const { key } = await sender.endpoints.createReceiverKey(id, {});
  const clientOf = (options: Partial<HermodOptions> = {}) =>
    new Hermod({ url: service.url, key, ...options });
  return { id, clientOf, receiver: clientOf() };
}

async function send(endpoint_id: string, count: number, first = 1): Promise<void> {
  for (let n = first; n < first + count; n++)
    await sender.webhooks.send({ endpoint_id, event: "order.paid", data: { n }, ordering_key: `k${n % 3}` });
}

const numberIn = (data: unknown): number => (data as { n: number }).n;

/** Reads and acknowledges all that is there. */
async function rest(
  receiver: Hermod,
  id: string,
  options: PullOptions = {},
): Promise<[n: number, attempt: number][]> {
  const found: [number, number][] = [];
  for await (const { data, attempt } of receiver.receive(id, { untilEmpty: true, ...options }))
    found.push([numberIn(data), attempt]);
  return found.toSorted(([a], [b]) => a - b);
}

describe.each(ORDERINGS)("a loop over an endpoint's events (%s)", (ordering) => {
  test("yields each once, and acknowledges what it has finished", async () => {
    const { id, receiver } = await newReader({ ordering }, 7);
    const all = [1, 2, 3, 4, 5, 6, 7].map((n) => [n, 1]);
    expect(await rest(receiver, id, { limit: 2 })).toEqual(all as [number, number][]);
    const delivered = await Array.fromAsync(sender.webhooks.all({ endpoint_id: id, status: "delivered" }));
    expect(delivered.length).toBe(7);
  });

  test("leaves what it has not finished when it breaks off, also by an error", async () => {
    const { id, receiver } = await newReader({ ordering });
    const seen: number[] = [];
    const breaking = async () => {
      for await (const { data } of receiver.receive(id)) {
        seen.push(numberIn(data));
        if (seen.length === 2) break;
      }
      for await (const { data } of receiver.receive(id)) {
        seen.push(numberIn(data));
        throw new Error("the ledger is closed");
      }
    };
    await expect(breaking()).rejects.toThrow("the ledger is closed");
    const left = [1, 2, 3, 4, 5].filter((n) => n !== seen[0]);
    expect(await rest(receiver, id)).toEqual(left.map((n) => [n, 1]));
  });

  test("repeats a reported failure by the schedule, and yields the others", async () => {
    const { id, receiver } = await newReader({ ordering, retry_schedule_ms: [100] });
    const worked: number[] = [];
    for await (const event of receiver.receive(id, { wait: 5 })) {
      const n = numberIn(event.data);
      if (n === 2 && event.attempt === 1)
        event.fail(new Error("the ledger\u0000is closed"), { retryAfter: 0 });
      else worked.push(n);
      if (worked.length === 5) {
        event.ack();
        break;
      }
    }
    expect(worked.toSorted()).toEqual([1, 2, 3, 4, 5]);
    if (ordering === "ordered") expect(worked).toEqual([1, 2, 3, 4, 5]);
    expect(await rest(receiver, id)).toEqual([]);
    const [second] = await Array.fromAsync(sender.webhooks.all({ endpoint_id: id, "data.n": "2" }));
    const { attempts } = await sender.webhooks.get(second?.id ?? "");
    expect(attempts.map(({ error }) => error)).toEqual(["receiver_failed", null]);
    expect(attempts[0]?.response_body).toBe("the ledger is closed");
  });
});

describe("a loop over an endpoint's events", () => {
  test("has each payload as it was sent", async () => {
    const { id, receiver } = await newReader({}, 0);
    const text = '{ "b" : 12345678901234567890.10, "a":"\\u00e9" ,"b":[1.0]}';
    await sender.webhooks.send({ endpoint_id: id, data: rawJson(text) });
    await send(id, 1);
    const texts = await Array.fromAsync(receiver.receive(id, { untilEmpty: true }), (event) => event.text);
    expect(texts).toEqual([text, '{"n":1}']);
  });

  test("goes on after lost answers and long outages, and repeats nothing that was acknowledged", async () => {
    const { id, clientOf } = await newReader({}, 6);
    const lost = { status: 502, isCarriedOut: true };
    const away = Array.from({ length: 3 }, () => ({ status: 503 }));
    await using proxy = flaky(service.url, [{ status: 503 }]);
    const receiver = clientOf({ url: proxy.url, maxRetries: 1 });
    const seen: number[] = [];
    for await (const { data } of receiver.receive(id, { limit: 2 })) {
      seen.push(numberIn(data));
      if (seen.length === 2) proxy.refuse([lost, ...away]);
      if (seen.length === 6) break;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await rest(clientOf(), id)).toEqual([[6, 1]]);
  });

  test("goes on without an outdated page", async () => {
    const { id, receiver } = await newReader({}, 2);
    const seen: [number, number][] = [];
    for await (const { data, attempt } of receiver.receive(id, { untilEmpty: true })) {
      seen.push([numberIn(data), attempt]);
      if (seen.length > 1) continue;
      await service.database.db.run(
        (sql) =>
          sql`update pulls set ends_at = now() - interval '1 second' where endpoint_id = ${fromText("ep", id)}`,
      );
      await sender.endpoints.receive(id, { limit: 1 }).then(({ receipt, data: [taken] }) => {
        expect(taken?.attempt).toBe(2);
        return sender.endpoints.receive(id, { limit: 0, ...(receipt && { receipt }), ack_through: 1 });
      });
    }
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
    ]);
  });

  test("reads the rest of a page again once half of its time is over", async () => {
    const { id, receiver } = await newReader({}, 3);
    const seen: [number, number][] = [];
    for await (const { data, attempt } of receiver.receive(id, { lease: 1, untilEmpty: true })) {
      seen.push([numberIn(data), attempt]);
      if (seen.length === 1) await Bun.sleep(600);
    }
    expect(seen.map(([n]) => n)).toEqual([1, 2, 3]);
  });

  test("ends with its signal, while it waits and while it works", async () => {
    const { id, receiver } = await newReader({}, 2);
    const ending = new AbortController();
    const seen: number[] = [];
    for await (const { data } of receiver.receive(id, { signal: ending.signal })) {
      seen.push(numberIn(data));
      ending.abort();
    }
    expect(seen).toEqual([1]);
    expect(await rest(receiver, id)).toEqual([[2, 1]]);
    const waiting = new AbortController();
    const read = Array.fromAsync(receiver.receive(id, { signal: waiting.signal }));
    waiting.abort();
    expect(await read).toEqual([]);
  });

  test("throws what the service refuses, and what is unreachable from the beginning", async () => {
    const { endpoints } = sender;
    const pushed = await endpoints.create({ url: "https://example.com/hooks" });
    const first = (hermod: Hermod) => hermod.receive(pushed.id).next();
    expect(first(sender)).rejects.toMatchObject({ status: 409 });
    expect(first(new Hermod({ url: service.url, key: "none" }))).rejects.toMatchObject({ status: 401 });
    const lost = new Hermod({ url: "http://127.0.0.1:9", key, maxRetries: 0 });
    expect(first(lost)).rejects.toMatchObject({ name: "HermodUnreachable" });
  });

  test("refuses words about an event that it has finished", async () => {
    const { id, receiver } = await newReader({}, 2);
    const loop = receiver.receive(id);
    const { value } = await loop.next();
    await loop.next();
    expect(() => value?.ack()).toThrow("The loop has finished wh_");
    await loop.return();
  });
});
