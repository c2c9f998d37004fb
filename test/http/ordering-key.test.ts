import { expect, test } from "bun:test";
import { type DeliveryId, fromText } from "../../src/domain/ids";
import { recordAttempt } from "./attempts";
import { type Answer, expectError, type Json } from "./client";
import { useService } from "./service";

const service = await useService();
const client = await service.newClient();
const endpointId: string = (await client.newEndpoint()).id;

/** Every request that takes an ordering key, with the deliveries in its answer. */
const WAYS: [way: string, ask: (key: unknown) => Promise<Answer>, accepted: (body: Json) => Json][] = [
  [
    "POST /webhooks",
    (ordering_key) => client.post("/webhooks", { endpoint_id: endpointId, ordering_key, data: {} }),
    (body) => body,
  ],
  [
    "POST /webhooks/batch",
    (ordering_key) =>
      client.post("/webhooks/batch", {
        webhooks: [{ endpoint_id: endpointId, ordering_key, event: "a.b", data: {} }],
      }),
    (body) => body.results[0].webhook,
  ],
  [
    "POST /events",
    (ordering_key) => client.post("/events", { event: "a.b", ordering_key, data: {} }),
    (body) => body.deliveries[0],
  ],
  [
    "POST /events/batch",
    (ordering_key) => client.post("/events/batch", { events: [{ event: "a.b", ordering_key, data: {} }] }),
    (body) => body.results[0].event.deliveries[0],
  ],
  [
    "POST /endpoints/:id/test",
    (ordering_key) => client.post(`/endpoints/${endpointId}/test`, { ordering_key }),
    (body) => body,
  ],
];

async function queuedKeyOf(id: string): Promise<unknown> {
  const [row] = await service.database.db.run(
    (sql) => sql`select ordering_key from queue where delivery_id = ${fromText("wh", id) as DeliveryId}`,
  );
  return row?.ordering_key;
}

test.each(WAYS)("%s stores the key, from the answer to the queue", async (_, ask, accepted) => {
  for (const key of ["customer-42", 'ü "quoted" \\ , {NULL}', "NULL", "😀".repeat(256), undefined]) {
    const answer = await ask(key);
    expect(answer.status).toBeLessThan(300);
    const { id, ordering_key } = accepted(answer.body);
    const { body } = await client.get(`/webhooks/${id}`);
    const listed = (await client.get("/webhooks?limit=1")).body.data[0];
    expect([ordering_key, body.ordering_key, listed.ordering_key]).toEqual([key, key, key]);
    expect(await queuedKeyOf(id)).toBe(key ?? null);
  }
});

const WRONG: [key: unknown, message: string][] = [
  ["", "ordering_key must not be empty"],
  ["x".repeat(257), "ordering_key must have at most 256 characters"],
  ["a\nb", "ordering_key must not contain control characters"],
  ["\ud800", "ordering_key must be well-formed Unicode"],
  [7, "ordering_key must be a string"],
];

test.each(WAYS)("%s refuses an invalid key, and says why", async (way, ask) => {
  for (const [key, message] of WRONG) {
    const answer = await ask(key);
    if (!way.endsWith("/batch")) expectError(answer, 400, "BAD_REQUEST", message);
    else expect(answer.body.results[0]).toEqual({ status: 400, error: { code: "BAD_REQUEST", message } });
  }
});

test("a repeat with the same Idempotency-Key returns the same ordering key", async () => {
  const headers = { "idempotency-key": "once" };
  const webhook = { endpoint_id: endpointId, ordering_key: "customer-1", data: {} };
  const [first, second] = [
    await client.post("/webhooks", webhook, headers),
    await client.post("/webhooks", webhook, headers),
  ];
  expect(second.body).toEqual(first.body);
  const event = { event: "a.b", ordering_key: "customer-2", data: {} };
  const ofEvent = { "idempotency-key": "event" };
  const published = await client.post("/events", event, ofEvent);
  expect((await client.post("/events", event, ofEvent)).body).toEqual(published.body);
});

test("a resend has the ordering key of its first delivery", async () => {
  const sent = (
    await client.post("/webhooks", { endpoint_id: endpointId, ordering_key: "customer-3", data: {} })
  ).body;
  await recordAttempt(service.database.db, sent, { status: 200 });
  const { body } = await client.post(`/webhooks/${sent.id}/resend`);
  expect(body).toMatchObject({ ordering_key: "customer-3", replay_of: sent.id });
  expect(await queuedKeyOf(body.id)).toBe("customer-3");
});
