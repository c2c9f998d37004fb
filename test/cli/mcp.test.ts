import { afterAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { apiOperations, pathNamesIn } from "../../src/cli/document";
import { ITEMS, MOST_CHARACTERS } from "../../src/cli/mcp/tools";
import { Hermod } from "../../src/client";
import type { Json } from "../http/client";
import { OWN } from "../http/portal-session";
import { Cluster } from "../support/faults/cluster";
import { until } from "../support/faults/until";

const MAIN = join(import.meta.dir, "../../src/cli/main.ts");

const cluster = await Cluster.start({ postgres: "shared", env: { HERMOD_ADMIN_KEY: "" } });
afterAll(() => cluster[Symbol.asyncDispose]());
const service = await cluster.launch("all", "all");
const adminKey = (await readFile(join(cluster.folder, "data", "admin-key"), "utf8")).trim();
const hermod = new Hermod({ url: service.url, key: adminKey });

/** An agent that runs the command with a key. */
async function agentOf(key: string, ...flags: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp", ...flags],
    env: { PATH: process.env.PATH ?? "", HERMOD_URL: service.url, HERMOD_KEY: key },
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { isError = false, content } = await client.callTool({ name, arguments: given });
    const texts = (content as { text: string }[]).map(({ text }) => text);
    return { isError, text: texts[0] ?? "", note: texts[1] ?? null };
  };
  const ask = async (name: string, given: Record<string, unknown> = {}): Promise<Json> => {
    const { isError, text } = await call(name, given);
    expect({ isError, text: isError ? text : "" }).toEqual({ isError: false, text: "" });
    return JSON.parse(text);
  };
  const { tools } = await client.listTools();
  return { tools, call, ask, client, [Symbol.asyncDispose]: () => client.close() };
}

const namesOf = ({ tools }: { tools: readonly { name: string }[] }) => tools.map(({ name }) => name);

describe("an agent with an account's key", () => {
  test("learns in three calls why an event did not arrive", async () => {
    await using receiver = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("the ledger is closed", { status: 503 }),
    });
    const { id } = await hermod.endpoints.create({ url: receiver.url.href, event_filter: "invoice.*" });
    await hermod.events.publish({ event: "invoice.paid", data: { invoice: 4711 } });
    await until(async () => (await hermod.endpoints.get(id)).health.state === "failing");
    await using agent = await agentOf(adminKey);
    const { data } = await agent.ask("listWebhooks", { event_type: "invoice.paid", limit: 5 });
    expect(data).toMatchObject([{ endpoint_id: id, status: "pending", response_status: 503 }]);
    const delivery = await agent.ask("getWebhook", { id: data[0].id });
    expect(delivery.attempts[0]).toMatchObject({ status: 503, response_body: "the ledger is closed" });
    expect(delivery.waiting_for.reason).toMatch(/retry|rest|attempt/);
    const endpoint = await agent.ask("getEndpoint", { id: delivery.endpoint_id });
    expect(endpoint.health).toMatchObject({
      state: "failing",
      reason: "status",
      last_failure: { status: 503 },
    });
  });

  test("may only read, and with --allow-writes do all that the key may", async () => {
    await using reader = await agentOf(adminKey);
    expect(reader.tools.every(({ annotations }) => annotations?.readOnlyHint)).toBeTrue();
    expect((await reader.call("createEndpoint", { url: "https://example.com/" })).isError).toBeTrue();
    await using writer = await agentOf(adminKey, "--allow-writes");
    const { id } = await writer.ask("createEndpoint", { url: "https://example.com/hooks" });
    expect(await writer.ask("updateEndpoint", { id, description: "Shop" })).toMatchObject({
      description: "Shop",
    });
    expect(await writer.ask("deleteEndpoint", { id })).toEqual({ deleted: true });
    expect(namesOf(writer)).toEqual(expect.arrayContaining([...namesOf(reader), "publishEvent"]));
  });

  test("is offered what its key may call, and nothing else", async () => {
    const { key } = await hermod.keys.create({ permissions: ["webhooks:read"] });
    await using agent = await agentOf(key, "--allow-writes");
    const names = namesOf(agent);
    expect(names).toContain("getWebhook");
    expect(names).not.toContainAnyValues([
      "getEndpoint",
      "sendWebhook",
      "listKeys",
      "listAccounts",
      "tailWebhooks",
    ]);
    expect((await agent.call("listWebhooks", { endpoint: "ep_1" })).text).toStartWith(
      "endpoint is not an argument of listWebhooks; it has ",
    );
    expect((await agent.call("getWebhook", { id: "wh_1" })).text).toStartWith("404 NOT_FOUND: ");
    expect((await agent.call("getWebhook")).text).toBe("getWebhook needs the argument id");
  });

  test("gets bounded answers, which say what is left out, and a cursor that leaves nothing out", async () => {
    const { id: endpoint_id } = await hermod.endpoints.create({
      url: "https://example.com/",
      is_active: false,
    });
    const event = "e".repeat(256);
    await hermod.webhooks.sendMany(Array.from({ length: 100 }, () => ({ endpoint_id, event, data: {} })));
    const large = await hermod.webhooks.send({ endpoint_id, data: { text: "y".repeat(60_000) } });
    await using agent = await agentOf(adminKey);
    const usual = await agent.ask("listWebhooks", { endpoint_id, status: "pending" });
    expect(usual.data.length).toBe(ITEMS.usual);
    const halved = await agent.call("listWebhooks", { endpoint_id, limit: 100 });
    expect(halved.text.length).toBeLessThanOrEqual(MOST_CHARACTERS);
    expect(halved.note).toStartWith("This page has at most 50 items, not 100, since more would be longer");
    const page: Json = JSON.parse(halved.text);
    const next = await agent.ask("listWebhooks", { endpoint_id, limit: 1, cursor: page.cursor });
    expect(next.data[0].sequence).toBe(page.data.at(-1).sequence - 1);
    const whole = await agent.call("getWebhook", { id: large.id });
    expect(whole.text.length).toBe(MOST_CHARACTERS);
    expect(whole.note).toMatch(/^Truncated: the first 40000 of \d{5} characters\.$/);
  });
});

test("no operation has two arguments with one name", () => {
  for (const { id, path, query, body } of apiOperations()) {
    const names = [...pathNamesIn(path), ...[...query, ...body].map(({ name }) => name)];
    expect({ id, names }).toEqual({ id, names: [...new Set(names)] });
  }
});

test("an agent with a receiver's key may read and acknowledge at its endpoint, and nothing else", async () => {
  const { id } = await hermod.endpoints.create({ delivery: "pull" });
  await hermod.webhooks.send({ endpoint_id: id, event: "order.paid", data: { n: 1 } });
  const { key } = await hermod.endpoints.createReceiverKey(id, {});
  await using reader = await agentOf(key);
  expect(namesOf(reader)).toEqual(["getEndpointLog"]);
  await using writer = await agentOf(key, "--allow-writes");
  expect(namesOf(writer).toSorted()).toEqual(["getEndpointLog", "receive"]);
  const { receipt, data } = await writer.ask("receive", { id, limit: 1 });
  expect(data).toMatchObject([{ event: "order.paid", data: { n: 1 } }]);
  await writer.ask("receive", { id, limit: 0, receipt, ack_through: 1 });
  expect((await reader.ask("getEndpointLog", { id })).data).toMatchObject([
    { sequence: 1, status: "delivered" },
  ]);
});

test("an agent with a portal session is offered what its link allows", async () => {
  const { id } = await hermod.endpoints.create({ url: "https://example.com/hooks" });
  const { url } = await hermod.request("post", "/v1/portal-sessions", {
    body: { endpoint_ids: [id], capabilities: ["view"] },
  });
  const opened = await fetch(`${service.url}/v1/portal-sessions/exchange`, {
    method: "POST",
    headers: { ...OWN, authorization: `Bearer ${url.split("#token=")[1]}` },
    body: JSON.stringify({ embedded: true }),
  });
  const { token } = (await opened.json()) as { token: string };
  await using agent = await agentOf(token, "--allow-writes");
  expect(namesOf(agent)).toContain("getEndpointStats");
  expect(namesOf(agent)).not.toContainAnyValues([
    "testEndpoint",
    "createEndpoint",
    "sendWebhook",
    "listKeys",
  ]);
  expect((await agent.ask("getEndpoint", { id })).id).toBe(id);
});
