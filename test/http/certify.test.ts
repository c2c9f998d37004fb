import { expect, test } from "bun:test";
import { Certifier } from "../../src/certification/certifier";
import { fromText } from "../../src/domain/ids";
import { messagesFor } from "../../src/feeds/chat-message";
import { CERTIFICATIONS_PER_MINUTE } from "../../src/resources/endpoints/certification";
import { systemClock } from "../../src/runtime/clock";
import { exchangerFor, isGenuine } from "../certification/certified";
import { atEnd } from "../support/at-end";
import { expectError } from "./client";
import { newPortalSession } from "./portal-session";
import { useService } from "./service";

const service = await useService();
const { vault } = service.dependencies;

let secret = "";
const received: { event: string; trial: string; token: string }[] = [];
/** Holds back the answers until it resolves. */
let held: Promise<void> = Promise.resolve();
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { headers } = request;
    const [event, trial, token] = ["webhook-event", "webhook-trial", "x-token"].map(
      (name) => headers.get(name) ?? "",
    );
    received.push({ event: event ?? "", trial: trial ?? "", token: token ?? "" });
    const body = await request.text();
    await held;
    return new Response(null, { status: isGenuine(body, request, secret) ? 204 : 401 });
  },
});
atEnd(() => receiver.stop(true));
const url = `http://127.0.0.1:${receiver.port}/hooks`;

/** Makes an endpoint for the receiver, whose secret the receiver then has. */
async function newEndpoint(fields: Record<string, unknown> = {}) {
  const client = await service.newClient();
  const endpoint = await client.newEndpoint({ url, ...fields });
  secret = endpoint.signing_secret;
  return { client, endpoint, certify: () => client.post(`/endpoints/${endpoint.id}/certify`) };
}

test("a certification sends trials, reports on them, and changes nothing at the endpoint", async () => {
  const { client, endpoint, certify } = await newEndpoint({
    headers: { "x-token": "t" },
    event_filter: "order.*",
  });
  const before = (await client.get(`/endpoints/${endpoint.id}`)).body;
  received.length = 0;
  const { status, body } = await certify();
  expect(status).toBe(200);
  expect(body).toMatchObject({ endpoint_id: endpoint.id, outcome: "warning" });
  const unsound = body.checks.filter(({ outcome }: { outcome: string }) => outcome !== "passed");
  expect(unsound.map(({ check, reason }: Record<string, string>) => [check, reason])).toEqual([
    ["out_of_order", "no_deliveries"],
    ["tls", "plain_http"],
  ]);
  expect(received.map(({ trial }) => trial)).toEqual([
    "valid",
    "forged",
    "unsigned",
    "old_timestamp",
    "duplicate",
    "exact_bytes",
    "unknown_type",
    "large",
  ]);
  expect(received.every(({ event, token }) => event.startsWith("hermod.trial") && token === "t")).toBe(true);
  expect((await client.get(`/endpoints/${endpoint.id}`)).body).toEqual(before);
  expect((await client.get("/webhooks")).body.total).toBe(0);
  expect((await client.get(`/endpoints/${endpoint.id}/stats`)).body).toMatchObject({
    pending: 0,
    recent: { deliveries: 0 },
  });
});

test.each(["envelope", "cloudevents", "cloudevents_binary"])(
  "an endpoint with the format %s is certified in its form",
  async (format) => {
    const { certify, client, endpoint } = await newEndpoint({ format });
    await client.send(endpoint.id, "order.created");
    const { body } = await certify();
    const unsound = body.checks.filter(({ outcome }: { outcome: string }) => outcome !== "passed");
    expect(unsound.map(({ check }: Record<string, string>) => check)).toEqual(["tls"]);
  },
);

test("an endpoint without a receiver that verifies is a 409, an unknown one a 404", async () => {
  const { client } = await newEndpoint();
  const slack = await client.newEndpoint({ url, format: "slack" });
  const pulled = await client.newEndpoint({ url: undefined, delivery: "pull" });
  for (const { id } of [slack, pulled])
    expectError(await client.post(`/endpoints/${id}/certify`), 409, "CONFLICT", "delivery must be push");
  const { endpoint: other } = await newEndpoint();
  expectError(await client.post(`/endpoints/${other.id}/certify`), 404, "NOT_FOUND", "");
});

test("an endpoint is certified once at a time", async () => {
  const { certify } = await newEndpoint();
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  received.length = 0;
  const first = certify();
  while (received.length === 0) await Bun.sleep(1);
  expectError(await certify(), 409, "CONFLICT", "is being certified");
  resolve();
  expect((await first).status).toBe(200);
});

test("an account may ask a limited number of times a minute, and others still may", async () => {
  const eager = await service.newClient();
  const gone = await eager.newEndpoint({ url: "http://127.0.0.1:1/" });
  const ask = () => eager.post(`/endpoints/${gone.id}/certify`);
  for (let i = 0; i < CERTIFICATIONS_PER_MINUTE; i++) await eager.expecting(200, ask());
  expectError(await ask(), 429, "RATE_LIMIT_EXCEEDED", "try again in");
  expect((await (await newEndpoint()).certify()).status).toBe(200);
});

test("a portal session certifies if it may test", async () => {
  const { client, endpoint } = await newEndpoint();
  const askAs = async (capabilities: string[]) => {
    const headers = await newPortalSession(service, client, { capabilities });
    return (await fetch(`${service.url}/v1/endpoints/${endpoint.id}/certify`, { method: "POST", headers }))
      .status;
  };
  expect(await askAs(["view", "test"])).toBe(200);
  expect(await askAs(["view", "retry", "manage_endpoints"])).toBe(403);
});

test("no trial goes to an address that deliveries may not go to", async () => {
  const { client, endpoint } = await newEndpoint();
  const certifier = new Certifier({
    db: service.database.db,
    openSecret: vault.open.bind(vault),
    exchanger: exchangerFor({ production: true }),
    messages: messagesFor(null),
    clock: systemClock,
    attemptTimeoutMs: 15_000,
  });
  received.length = 0;
  const certified = await certifier.certify(
    client.accountId,
    fromText("ep", endpoint.id) ?? expect.unreachable(),
    0,
  );
  expect(certified).toMatchObject({ kind: "certified" });
  const [valid] = certified.kind === "certified" ? certified.results : [];
  expect(valid?.answer).toMatchObject({ status: 0, error: "blocked_address" });
  expect(received).toEqual([]);
});
