import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hermod } from "../../src/client";
import type { Delivery, DeliveryQuery } from "../../src/client/types";
import { verify } from "../../src/client/verify";
import { createLog } from "../../src/runtime/log";
import { startService } from "../../src/service/service";
import { until } from "../support/faults/until";
import { freePort } from "../support/free-port";
import { testDatabase } from "../support/postgres";
import { ADMIN_KEY, configOn } from "../support/service-config";

export { ADMIN_KEY };

/** Texts that would break a page that reads them as markup, or that imitate other text. */
export const HOSTILE = {
  markup: '<script>document.title="taken"</script><img src=x onerror="document.title=1">',
  template: "{{7*7}} <%= 1 %>",
  direction: "invoice\u202egnp.exe",
  hidden: "a\u200bb\u0000c\u0007",
  lone: "half \ud83d of a pair",
  long: "x".repeat(70_000),
  event: `unwanted.\u202e${"wide".repeat(60)}`,
};

/** The answer of the receiver that is down. */
export const DOWN_BODY = `<html><body><h1>We are moving</h1>${HOSTILE.markup}</body></html>`;

export type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** A whole Hermod with receivers: one that answers, one that is down until `repair`, one that nobody listens at. `settingsAt` gets its URL. */
export async function openInstallation(
  settingsAt: (url: string) => Promise<Record<string, string>> = async () => ({}),
) {
  const [database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), "hermod-pages-"))]);
  const receivers = openReceivers();
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = await configOn(database, folder, {
    PORT: String(port),
    HERMOD_PORTAL_ORIGINS: receivers.origin,
    ...(await settingsAt(url)),
  });
  const service = await startService(config, "all", createLog("silent"));
  const admin = new Hermod({ url, key: ADMIN_KEY });
  const account = await admin.admin.createAccount({ name: "Kestrel Freight", external_id: "kestrel" });
  await admin.admin.createAccount({ name: `Other ${HOSTILE.markup}` });
  const client = new Hermod({ url, key: ADMIN_KEY, account: account.id });
  const seeded = await seed(client, receivers);
  return {
    url,
    account,
    client,
    ...seeded,
    ...receivers,
    close: async () => {
      await service.stop();
      receivers.stop();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}

function openReceivers() {
  let isRepaired = false;
  let html = "";
  let secret = "";
  const answering = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (request.url.endsWith("/page"))
        return new Response(html, { headers: { "content-type": "text/html" } });
      if (request.url.endsWith("/verifying") && !isSigned(await request.text(), request.headers, secret))
        return new Response("wrong signature", { status: 401 });
      return Response.json({ received: true });
    },
  });
  const down = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      isRepaired
        ? new Response("thanks")
        : new Response(DOWN_BODY, { status: 503, headers: { "content-type": "text/html" } }),
  });
  return {
    answering: `http://127.0.0.1:${answering.port}/warehouse`,
    down: `http://127.0.0.1:${down.port}/hooks`,
    origin: `http://127.0.0.1:${answering.port}`,
    /** Sets the secret with which the receiver at `/verifying` verifies. */
    verifyWith: (signingSecret: string) => {
      secret = signingSecret;
    },
    /** Serves a page at `/page` of the origin that may embed the portal. */
    showPage: (text: string) => {
      html = text;
    },
    repair: () => {
      isRepaired = true;
    },
    stop: () => {
      answering.stop(true);
      down.stop(true);
    },
  };
}

function isSigned(body: string, headers: Headers, secret: string): boolean {
  try {
    verify(body, headers, secret);
    return true;
  } catch {
    return false;
  }
}

async function seed(client: Hermod, { answering, down }: { answering: string; down: string }) {
  const { endpoints, events } = client;
  const messy = await endpoints.create({
    url: `${answering}/${"path".repeat(100)}?${"token".repeat(100)}`,
    description: "Name".repeat(60),
    external_id: "id".repeat(120),
    event_filter: `${"group".repeat(40)}.*, ${"type".repeat(60)}`,
    headers: { [`x-${"header".repeat(15)}`]: "value".repeat(40) },
    metadata: { ["key".repeat(20)]: "note".repeat(100) },
    is_active: false,
  });
  await client.webhooks.send({ endpoint_id: messy.id, event: "type".repeat(60), data: "word".repeat(500) });
  await client.keys.create({ name: "Key".repeat(60), permissions: ["webhooks:read"] });
  const production = await endpoints.create({
    url: down,
    description: "Production",
    event_filter: "invoice.*",
    retry_schedule_ms: [600_000],
  });
  const warehouse = await endpoints.create({
    url: answering,
    description: "Warehouse",
    event_filter: "invoice.*, order.*",
  });
  const nobody = { url: "http://127.0.0.1:9/gone", description: HOSTILE.markup, event_filter: "customer.*" };
  await endpoints.create({ ...nobody, retry_schedule_ms: [100] });
  const staging = await endpoints.create({
    url: answering,
    description: "Staging",
    is_active: false,
    event_filter: "order.*",
  });
  for (let n = 1; n <= 12; n++)
    await events.publish({
      event: n % 4 === 0 ? "order.placed" : "invoice.paid",
      data: { invoice: `INV-${n}`, amount: n },
    });
  await events.publish({ event: "customer.created", data: HOSTILE });
  await events.publish({ event: HOSTILE.event, data: {} });
  const failed = await deliveryOf(client, { status: "failed" });
  const waiting = await deliveryOf(client, { endpoint_id: production.id, response_status: "503" });
  await deliveryOf(client, { endpoint_id: warehouse.id, status: "delivered", event_type: "order.placed" });
  return { messy, production, warehouse, staging, failed, waiting };
}

function deliveryOf({ webhooks }: Hermod, query: DeliveryQuery): Promise<Delivery> {
  return until(async () => (await webhooks.list({ limit: 1, ...query })).data[0], {
    what: JSON.stringify(query),
  });
}
