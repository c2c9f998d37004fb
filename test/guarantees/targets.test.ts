import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Attempt } from "../../src/client";
import { CERTIFICATE, KEY as TLS_KEY } from "../attempt/certificates";
import { ForwardProxy } from "../attempt/forward-proxy";
import { answer, Receiver } from "../attempt/receiver";
import { Cluster, KEY } from "../support/faults/cluster";
import { HermodClient } from "../support/faults/hermod-client";
import { until } from "../support/faults/until";

setDefaultTimeout(120_000);

const PASSWORD = "proxy-hunter2";

let cluster: Cluster;
let proxy: ForwardProxy;
let receiver: Receiver;
let secure: Receiver;
/** An API without the rules, to register what they forbid. The other one has them, and so does the only dispatcher. */
let earlier: HermodClient;
let strict: HermodClient;

beforeAll(async () => {
  proxy = await ForwardProxy.open();
  const onRequest: Parameters<typeof Receiver.open>[0] = {
    onRequest: ({ socket }) => socket.write(answer(200)),
  };
  receiver = await Receiver.open(onRequest);
  secure = await Receiver.open({ ...onRequest, tls: { key: TLS_KEY, cert: CERTIFICATE } });
  cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_LOG_LEVEL: "trace" } });
  const rules = {
    HERMOD_REQUIRE_HTTPS: "true",
    HERMOD_DISABLE_AFTER: "1s",
    HERMOD_EGRESS_PROXY: `http://hermod:${PASSWORD}@${proxy.address}`,
  };
  const [lax, ruled] = await Promise.all([
    cluster.launch("earlier", "api"),
    cluster.launch("strict", "all", rules),
  ]);
  earlier = new HermodClient(lax.url, KEY);
  strict = new HermodClient(ruled.url, KEY);
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  for (const each of [proxy, receiver, secure]) each.close();
});

/** Sends a webhook to this URL and returns its first attempt. */
async function firstAttempt(url: string): Promise<Attempt> {
  const { endpoints, webhooks } = earlier.api;
  const endpoint = await endpoints.create({ url });
  const { id } = await webhooks.send({ endpoint_id: endpoint.id, data: {} });
  return until(async () => (await webhooks.get(id)).attempts[0], { what: "an attempt" });
}

test("HERMOD_REQUIRE_HTTPS refuses http at registration, and does not attempt endpoints registered before", async () => {
  const http = await strict.ask("POST", "/endpoints", { url: receiver.url });
  expect(http).toMatchObject({
    status: 400,
    body: { error: { code: "BAD_REQUEST", message: "url must begin with https://" } },
  });
  expect(await strict.newEndpoint("https://example.com/")).toBeTruthy();
  const attempt = await firstAttempt(receiver.url);
  expect(attempt).toMatchObject({ status: 0, error: "https_required", response_body: null });
  expect(receiver.connections).toBe(0);
});

test("a tunnel that the egress proxy refuses is shown as the proxy's failure", async () => {
  const attempt = await firstAttempt("https://127.0.0.1:1/");
  expect(attempt).toMatchObject({
    status: 0,
    error: "proxy",
    error_detail: "tunnel_refused 502",
    location: null,
  });
});

test("failures of receivers disable an endpoint, failures of the proxy never do", async () => {
  const { endpoints, webhooks } = earlier.api;
  const create = (port: number) =>
    endpoints.create({ url: `https://127.0.0.1:${port}/`, retry_schedule_ms: [] });
  const [refused, distrusted] = await Promise.all([create(1), create(secure.port)]);
  const failAt = async (endpoint_id: string) => {
    const { id } = await webhooks.send({ endpoint_id, data: {} });
    await until(async () => (await webhooks.get(id)).status === "failed", { what: "a failed delivery" });
  };
  const isDistrustedInactive = async () => {
    for (const { id } of [refused, distrusted]) await failAt(id);
    return !(await endpoints.get(distrusted.id)).is_active;
  };
  await until(isDistrustedInactive, { what: "an inactive endpoint" });
  expect(await endpoints.get(refused.id)).toMatchObject({ is_active: true, health: { state: "healthy" } });
});

test("webhooks go through the egress proxy, and certificates are checked end to end", async () => {
  const attempt = await firstAttempt(`https://127.0.0.1:${secure.port}/`);
  const reason = "certificate_chain_incomplete";
  expect(attempt).toMatchObject({ status: 0, error: "tls", error_detail: reason, response_body: null });
  expect(proxy.requestLines).toContain(`CONNECT 127.0.0.1:${secure.port} HTTP/1.1`);
  expect(proxy.asked[0]).toContain(`Basic ${btoa(`hermod:${PASSWORD}`)}`);
  expect(secure.requests.length).toBe(0);
  const logs = join(cluster.folder, "logs");
  const texts = (await readdir(logs)).map((name) => Bun.file(join(logs, name)).text());
  expect((await Promise.all(texts)).join()).not.toContain(PASSWORD);
});
