import { describe, expect, test } from "bun:test";
import { Hermod } from "../../src/client";
import type { operations } from "../../src/client/openapi";
import { isGenuine } from "../certification/certified";
import { useService } from "../http/service";
import { atEnd } from "../support/at-end";
import { type Connection, say } from "./console";

/** Operations without a command, each with the reason. */
const EXCEPTIONS = {
  isLive: "for orchestrators, which ask without a key",
  isReady: "for orchestrators, which ask without a key",
  tailWebhooks: "`tail` has no end; test/cli/cli.test.ts follows it",
  updateCell: "`cells drain` and `cells accept`, which need cells",
  tailJobs: "for pages in a browser",
  receive: "for programs, which acknowledge what they have read",
  getEventTypeCode: "`types` writes the types of all event types",
  createSession: "for pages in a browser",
  getSession: "for pages in a browser",
  deleteSession: "for pages in a browser",
  createPortalSession: "for backends, whose pages open the link at once",
  openPortalSession: "for pages in a browser",
  getPortalSession: "for pages in a browser",
  deletePortalSession: "for pages in a browser",
} as const;

/** The requests to receivers, which the document has as webhooks. */
type Received = Extract<keyof operations, `receive${string}`>;
type Reached = Exclude<keyof operations, keyof typeof EXCEPTIONS | Received>;

/** The command for an operation. Names in braces are created for it, and the text after `<` is its standard input. */
const COMMANDS: Readonly<Record<Reached, string>> = {
  createAccount: "accounts create Shop --plan starter",
  listAccounts: "accounts list",
  getAccount: "accounts get {account}",
  putAccount: "accounts set shop-42 --name Shop",
  updateAccount: "accounts update {account} --plan pro",
  listAccountKeys: "keys list --account {account}",
  createAccountKey: "keys create --account {account}",
  deleteAnyKey: "keys delete {key} --any-account",
  listPlans: "plans list",
  listCells: "cells list",
  putPlan: "plans set large --requests-per-minute 9000 --webhooks-per-month none",
  getMe: "whoami",
  listActivity: "activity",
  listAudit: "activity --all-accounts",
  getUsage: "usage",
  getStats: "stats",
  getStatsSeries: "series",
  getSystem: "system",
  summarizeWebhooks: "webhooks summary",
  listAllEndpoints: "endpoints list --all-accounts",
  listAllDeliveries: "webhooks list --all-accounts",
  listAllEvents: "events list --all-accounts",
  getBacklog: "backlog",
  getEndpointQueue: "endpoints queue {endpoint}",
  listStuckOrders: "endpoints stuck-orders {endpoint}",
  getEndpointStatsSeries: "series --endpoint {endpoint}",
  getAllStatsSeries: "series --all",
  createEndpoint: "endpoints create https://example.com/hooks",
  listEndpoints: "endpoints list",
  getEndpoint: "endpoints get {endpoint}",
  putEndpoint: "endpoints set orders --target https://example.com/hooks",
  updateEndpoint: "endpoints pause {endpoint}",
  deleteEndpoint: "endpoints delete {endpoint}",
  getEndpointStats: "endpoints stats {endpoint}",
  testEndpoint: "endpoints test {endpoint}",
  importCatalogue: 'event-types import {"openapi":"3.1.0","webhooks":{}}',
  exportOpenApi: "event-types export openapi",
  exportAsyncApi: "event-types export asyncapi",
  putEventType: "event-types set a --group Orders",
  listSchemaVersions: "event-types versions {type}",
  checkEventTypeSchema: "event-types check-schema a {}",
  certifyEndpoint: "endpoints certify {verifying}",
  testEndpointFilter: "endpoints test-filter {endpoint} true",
  checkEndpointUrl: "endpoints check-url https://example.com/hooks",
  rotateSecret: "endpoints rotate-secret {endpoint}",
  replayEndpoint: "replay {endpoint} --no-wait",
  sendWebhook: 'send {"id":1} --endpoint {endpoint}',
  sendWebhooks: 'batch < {"endpoint_id":"{endpoint}","data":{}}',
  publishEvent: "send --event a < {}",
  listEvents: "events list",
  getEvent: "events get {event}",
  listEventDeliveries: "events deliveries {event}",
  listMissedEndpoints: "events missed {event}",
  eraseEventPayload: "events erase {event}",
  publishEvents: 'batch --events < {"event":"a","data":{}}',
  listWebhooks: "webhooks list",
  getWebhook: "webhooks get {pending}",
  cancelWebhook: "webhooks cancel {pending}",
  retryWebhook: "webhooks retry {pending}",
  retryEndpoint: "endpoints retry {endpoint}",
  resendWebhook: "webhooks resend {cancelled}",
  resendWebhooks: "webhooks resend-many --ids {cancelled} --no-wait",
  erasePayload: "webhooks erase {cancelled}",
  erasePayloads: "erase --endpoint {endpoint} --no-wait",
  listJobs: "jobs list",
  getJob: "jobs get {job}",
  cancelJob: "jobs cancel {job}",
  listInstallationEventTypes: "event-types list --installation",
  getInstallationEventType: "event-types get {common} --installation",
  putInstallationEventType: "event-types set a --group Orders --installation",
  putInstallationSchema: 'event-types set-schema a --installation < {"type":"object"}',
  deleteInstallationSchema: "event-types delete-schema {common} --installation --yes",
  importInstallationCatalogue: "event-types import --installation < openapi: 3.1.0\nwebhooks: {}",
  listEventTypes: "event-types list",
  getEventType: "event-types get {type}",
  putEventTypeSchema: 'event-types set-schema {type} < {"type":"object"}',
  deleteEventTypeSchema: "event-types delete-schema {type}",
  listKeys: "keys list",
  createKey: "keys create",
  updateKey: "keys disable {key}",
  deleteKey: "keys delete {key}",
  getEndpointLog: "endpoints log {endpoint} --from 1",
  listReceiverKeys: "receiver-keys list {endpoint}",
  createReceiverKey: "receiver-keys create {endpoint} --name Warehouse",
  deleteReceiverKey: "receiver-keys delete {endpoint_and_receiver_key}",
};

type Operation = { id: string; method: string; path: RegExp };

let asked: { method: string; path: string }[] = [];

const service = await useService();
const { url, admin } = service;
const hermod = new Hermod({ url, key: admin.key });
/** A proxy in front of the service that records the requests. */
const front = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    asked.push({ method: request.method.toLowerCase(), path: pathname });
    const { method, headers } = request;
    const body = method === "GET" ? null : await request.text();
    return fetch(url + pathname + search, { method, headers, body });
  },
});
const connection: Connection = { url: front.url.origin, key: admin.key };
const documented = operationsOf(JSON.parse(await (await fetch(`${url}/swagger/json`)).text()));
atEnd(() => front.stop(true));

type Document = { paths: Record<string, Record<string, { operationId: string }>> };

/** Operations with fewer path parameters come first: `/webhooks/batch` is not an id. */
function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths)
    .toSorted(([one], [other]) => one.split("{").length - other.split("{").length)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        id: operationId,
        method,
        path: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
      })),
    );
}

let secret = "";
/** A receiver that verifies with the secret. */
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) =>
    new Response(null, { status: isGenuine(await request.text(), request, secret) ? 204 : 401 }),
});
atEnd(() => receiver.stop(true));

const MAKERS: Readonly<Record<string, () => Promise<string>>> = {
  account: async () => (await hermod.admin.createAccount({ name: "Shop" })).id,
  key: async () => (await hermod.keys.create()).id,
  endpoint: async () => (await hermod.endpoints.create({ url: "https://example.com/" })).id,
  verifying: async () => {
    const { id, signing_secret } = await hermod.endpoints.create({ url: receiver.url.href });
    secret = signing_secret;
    return id;
  },
  endpoint_and_receiver_key: async () => {
    const { id } = await hermod.endpoints.create({ url: "https://example.com/" });
    return `${id} ${(await hermod.endpoints.createReceiverKey(id)).id}`;
  },
  pending: async () => newWebhook(),
  cancelled: async () => (await hermod.webhooks.cancel(await newWebhook())).id,
  event: async () => (await hermod.events.publish({ event: "a", data: {} })).id,
  job: async () => (await hermod.jobs.erase({ event: "a" })).id,
  common: async () => (await hermod.admin.putSchema("b", { schema: {} })).event_type,
  type: async () => (await hermod.eventTypes.putSchema("订单/created", {})).event_type,
};

async function newWebhook(): Promise<string> {
  const { id } = await hermod.endpoints.create({ url: "https://example.com/" });
  return (await hermod.webhooks.send({ endpoint_id: id, data: {} })).id;
}

/** Returns a line with the names in braces replaced by what was created. */
async function filled(line: string): Promise<string> {
  const names = [...line.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  let text = line;
  for (const name of names) text = text.replace(`{${name}}`, (await MAKERS[name]?.()) ?? "");
  return text;
}

test("every operation of the API has a command, or a reason to have none", () => {
  const known = [...Object.keys(COMMANDS), ...Object.keys(EXCEPTIONS)];
  expect(known.toSorted()).toEqual(documented.map(({ id }) => id).toSorted());
});

describe("a command reaches its operation", () => {
  for (const [id, line] of Object.entries(COMMANDS)) {
    test(`${id}: ${line}`, async () => {
      const [command = "", input] = (await filled(line)).split(" < ");
      asked = [];
      const { code, err } = await say(command.split(" "), connection, { input });
      expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
      const reached = asked.map(
        ({ method, path }) =>
          documented.find((operation) => operation.method === method && operation.path.test(path))?.id,
      );
      expect(reached).toEqual([id]);
    });
  }
});

test("endpoints certify says what to mend, and ends with 1 if a check failed", async () => {
  const careless = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  atEnd(() => careless.stop(true));
  const { id } = await hermod.endpoints.create({ url: careless.url.href });
  const { code, out, err } = await say(["endpoints", "certify", id], connection);
  expect(code).toBe(1);
  expect(out).toMatch(/^passed +valid +Answered 200 after/m);
  expect(out).toMatch(/^failed +forged +Answered 200 after/m);
  expect(out).toMatch(/^forged: Verify every request.*receiving\.md#verifying/m);
  expect(err).toContain("The receiver does not pass: forged, unsigned, old_timestamp");
});
