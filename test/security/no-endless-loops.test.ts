import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fromText, hopsOf, MAX_HOPS, newId } from "../../src/domain/ids";
import { hopsTo } from "../../src/feeds/feed-event";
import { type Client, expectError, type Json } from "../http/client";
import { startTestService, type TestService } from "../http/service";
import { deliverPending, startRunner } from "../jobs/stage";
import { Cluster, KEY } from "../support/faults/cluster";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const hopsOfDelivery = (text: string) => {
  const id = fromText("wh", text);
  if (id === null) throw new Error(`${text} is no delivery`);
  return hopsOf(id);
};

describe("a request caused by deliveries", () => {
  let service: TestService;
  let client: Client;
  let endpoint: Json;

  beforeAll(async () => {
    service = await startTestService();
    client = await service.newClient();
    endpoint = await client.newEndpoint();
  });
  afterAll(() => service.stop());

  const ended = async (): Promise<string> => {
    const { id } = await client.send(endpoint.id);
    await deliverPending(service, client);
    return id;
  };
  const webhook = () => ({ endpoint_id: endpoint.id, data: {} });

  /** Every way to make deliveries at once, and the ids in its answer. */
  const WAYS: [string, () => Promise<[path: string, body: object]>, (answer: Json) => string[]][] = [
    ["a send", async () => ["/webhooks", webhook()], ({ id }) => [id]],
    [
      "sends",
      async () => ["/webhooks/batch", { webhooks: [webhook(), webhook()] }],
      ({ results }) => results.map((each: Json) => each.webhook.id),
    ],
    [
      "an event",
      async () => ["/events", { data: {} }],
      ({ deliveries }) => deliveries.map(({ id }: Json) => id),
    ],
    [
      "events",
      async () => ["/events/batch", { events: [{ data: {} }] }],
      ({ results }) => results.flatMap((each: Json) => each.event.deliveries.map(({ id }: Json) => id)),
    ],
    ["a test", async () => [`/endpoints/${endpoint.id}/test`, {}], ({ id }) => [id]],
    ["a resend", async () => [`/webhooks/${await ended()}/resend`, {}], ({ id }) => [id]],
  ];

  test.each(WAYS)("passes its hops on to the deliveries of %s", async (_, way, idsIn) => {
    for (const hops of [0, 1, MAX_HOPS - 1]) {
      for (const key of [null, crypto.randomUUID()]) {
        const [path, body] = await way();
        const headers: Record<string, string> = hops === 0 ? {} : { "webhook-hops": String(hops) };
        if (key) headers["idempotency-key"] = key;
        const answer = await client.post(path, body, headers);
        expect(answer.status).toBeWithin(200, 202);
        const ids = idsIn(answer.body);
        expect(ids).not.toEqual([]);
        expect(ids.map(hopsOfDelivery)).toEqual(ids.map(() => hops));
      }
    }
  });

  test.each(WAYS)("with too many hops is refused instead of %s, and ends the delivery", async (_, way) => {
    const [path, body] = await way();
    const { total } = (await client.get("/webhooks")).body;
    for (const hops of [MAX_HOPS, MAX_HOPS + 1, 999_999_999]) {
      const answer = await client.post(path, body, { "webhook-hops": String(hops) });
      expectError(answer, 400, "BAD_REQUEST", /webhook-hops.*sends? its deliveries back/);
      expect(answer.headers.get("webhook-delivery")).toBe("abort-message");
    }
    expect((await client.get("/webhooks")).body.total).toBe(total);
  });

  test.each(["-1", "1.5", "", "one", "1, 2", "9".repeat(30)])(
    "with %j for its hops is a 400",
    async (hops) => {
      const answer = await client.post("/webhooks", webhook(), { "webhook-hops": hops });
      expectError(answer, 400, "BAD_REQUEST", "webhook-hops must be a whole number");
    },
  );

  test("passes its hops on to the deliveries of a replay, which a job makes later", async () => {
    const source = await ended();
    const job = await client.expecting(
      202,
      client.post(`/endpoints/${endpoint.id}/replay`, {}, { "webhook-hops": "2" }),
    );
    const runner = startRunner(service);
    try {
      const isDone = async () => (await client.get(`/jobs/${job.id}`)).body.status === "completed";
      await until(isDone, { what: "the end of the replay" });
    } finally {
      await runner.stop();
    }
    const { data } = await client.expecting(200, client.get("/webhooks?limit=100"));
    const made = data.filter(({ id }: Json) => id.slice("wh_".length) > job.id.slice("job_".length));
    expect(made.length).toBeGreaterThan(0);
    expect(made.map(({ id }: Json) => hopsOfDelivery(id))).toEqual(made.map(() => 2));
    expect(hopsOfDelivery(source)).toBe(0);
  });
});

test("a feed counts hops too, so it can't close a loop by reporting failures", () => {
  const failed = (hops: number) => {
    const deliveryId = newId("wh", hops);
    const facts = {
      deliveryId,
      endpointId: newId("ep"),
      event: null,
      attemptCount: 1,
      responseStatus: 0,
      error: null,
      errorDetail: null,
    };
    return hopsTo({ event: "delivery.failed", facts });
  };
  expect([0, 1, 2].map(failed)).toEqual([1, 2, 2]);
});

describe("a running service", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({ postgres: "shared" });
    await cluster.launch("all", "all");
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Makes an endpoint that sends its deliveries to a path of this API. */
  async function newLoop(path: string, event_filter = "*"): Promise<string> {
    const { client } = cluster;
    const headers = { authorization: `Bearer ${KEY}` };
    const fields = { headers, sensitive_headers: ["authorization"], retry_schedule_ms: [], event_filter };
    return (await client.newEndpoint(`${client.baseUrl}/v1${path}`, fields)).endpoint;
  }

  const deliveriesTo = async (endpoint: string) => {
    const { body } = await cluster.client.ask("GET", `/webhooks?limit=100&endpoint_id=${endpoint}`);
    return (body as Json).data as Json[];
  };

  test("ends the loop of an endpoint that resends its own delivery", async () => {
    const endpoint = await newLoop("/", "nothing");
    const { client } = cluster;
    const first = (
      await client.ask("POST", "/webhooks", { endpoint_id: endpoint, event: "nothing", data: {} })
    ).body as Json;
    const url = `${client.baseUrl}/v1/webhooks/${first.id}/resend`;
    await cluster.settled();
    await client.changeEndpoint(endpoint, { url });
    await client.ask("POST", `/webhooks/${first.id}/resend`, {});
    await cluster.settled();
    const [last, ...others] = await deliveriesTo(endpoint);
    expect(last.status).toBe("failed");
    // The first one, to an unknown path, and the others of the loop.
    expect(others.map(({ status }) => status)).toEqual(["delivered", "delivered", "failed"]);
    const { attempts } = (await client.ask("GET", `/webhooks/${last.id}`)).body as Json;
    expect(attempts).toMatchObject([{ attempt: 1, status: 400 }]);
    expect(attempts[0].response_body).toContain("webhook-hops");
  });

  test("ends the loop of three endpoints that publish what they receive, however many deliveries it would make", async () => {
    const { client } = cluster;
    const endpoints = [];
    for (let i = 0; i < 3; i++) endpoints.push(await newLoop("/events", "loop"));
    let body: object = { event: "loop", data: {} };
    for (let i = 0; i < 7; i++) body = { event: "loop", data: body };
    const before = (await client.stats()).total;
    expect((await client.ask("POST", "/events", body)).status).toBe(201);
    await cluster.settled();
    expect((await client.stats()).total - before).toBe(3 + 9 + 27);
  });
});
