import { describe, expect, test } from "bun:test";
import { Hermod, verify } from "../../src/client";
import { useService } from "../http/service";
import { until } from "../support/faults/until";
import { Cli } from "./cli";

const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

const service = await useService();
const { key } = await service.newClient();
const hermod = new Hermod({ url: service.url, key });
const account = new Cli({ HERMOD_URL: service.url, HERMOD_KEY: key });

/** An endpoint that is read, with the command line of its receiver. */
async function newReader(count: number) {
  const { id } = await hermod.endpoints.create({
    delivery: "pull",
    signing_secret: SECRET,
    retry_schedule_ms: [100],
  });
  for (let n = 1; n <= count; n++)
    await hermod.webhooks.send({ endpoint_id: id, event: "order.paid", data: { n } });
  const { key } = await hermod.endpoints.createReceiverKey(id, {});
  return { id, receiver: account.with({ HERMOD_KEY: key }) };
}

describe("hermod receive", () => {
  test("shows what waits and leaves it, and with --ack takes it once", async () => {
    const { id, receiver } = await newReader(4);
    const looked = await receiver.json(["receive", id, "--limit", "2"]);
    expect(looked.map(({ data }) => data.n)).toEqual([1, 2]);
    const taken = await receiver.json(["receive", id, "--ack", "--limit", "3"]);
    expect(taken.map(({ sequence, attempt }) => [sequence, attempt])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect((await receiver.json(["receive", id, "--ack"])).map(({ sequence }) => sequence)).toEqual([4]);
    expect(await receiver.json(["receive", id, "--ack"])).toEqual([]);
  });

  test("follows until it is stopped", async () => {
    const { id, receiver } = await newReader(1);
    await using following = receiver.start(["receive", id, "--ack", "--follow"]);
    await following.objects(1);
    await hermod.webhooks.send({ endpoint_id: id, data: { n: 2 } });
    await following.objects(2);
    expect((await following.interrupt()).code).toBe(0);
    expect((await hermod.endpoints.stats(id)).pending).toBe(0);
  });

  test("refuses to follow without acknowledging, and an endpoint that is pushed", async () => {
    const { id, receiver } = await newReader(0);
    expect(await receiver.run(["receive", id, "--follow"])).toMatchObject({ code: 2 });
    const pushed = await hermod.endpoints.create({ url: "https://example.com/hooks" });
    expect(await account.run(["receive", pushed.id])).toMatchObject({ code: 3 });
  });
});

/** A server on this machine that verifies, and answers the first request with a failure. */
function localServer() {
  const seen: { attempt: number | null; sequence: number | null; body: string; agent: string | null }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      const { attempt, sequence } = verify(body, request.headers, SECRET);
      seen.push({ attempt, sequence, body, agent: request.headers.get("user-agent") });
      return seen.length === 1 ? new Response("the ledger is closed", { status: 500 }) : new Response();
    },
    error: () => new Response(null, { status: 401 }),
  });
  const url = `http://127.0.0.1:${server.port}/hooks`;
  return { url, seen, [Symbol.asyncDispose]: () => server.stop(true) };
}

describe("hermod listen --forward-to", () => {
  test("makes an endpoint, sends its webhooks signed and in order, repeats failures, and deletes it at the end", async () => {
    await using local = localServer();
    const options = ["--forward-to", local.url, "--filter", "user.*", "--json"];
    await using listening = account.with({ WEBHOOK_SECRET: SECRET }).start(["listen", ...options]);
    const [{ endpoint_id }] = await listening.objects(1);
    await hermod.endpoints.update(endpoint_id, { retry_schedule_ms: [100] });
    const text = '{ "n": 12345678901234567890 }';
    for (const body of [text, '{"n":2}'])
      await account.run(["send", body, "--event", "user.created", "--endpoint", endpoint_id]);
    const [, ...lines] = await listening.objects(4);
    expect(lines.map(({ sequence, attempt, status }) => [sequence, attempt, status])).toEqual([
      [1, 1, 500],
      [1, 2, 200],
      [2, 1, 200],
    ]);
    expect(local.seen.map(({ sequence, body }) => [sequence, body])).toEqual([
      [1, text],
      [1, text],
      [2, '{"n":2}'],
    ]);
    expect(local.seen[0]?.agent).toStartWith("hermod/");
    const { attempts } = await hermod.webhooks.get(lines[0].id);
    expect(attempts[0]).toMatchObject({
      error: "receiver_failed",
      response_body: "HTTP 500 the ledger is closed",
    });
    await until(async () => (await hermod.endpoints.stats(endpoint_id)).pending === 0);
    expect((await listening.interrupt()).code).toBe(0);
    expect(await account.run(["endpoints", "get", endpoint_id])).toMatchObject({ code: 3 });
  });

  test("uses an endpoint with its receiver's key, goes on while nothing listens there, and leaves the endpoint", async () => {
    const { id, receiver } = await newReader(1);
    const options = ["listen", "--forward-to", "http://127.0.0.1:9/", "--endpoint", id];
    expect((await receiver.run(options)).err).toContain(`Give the signing secret of ${id} in WEBHOOK_SECRET`);
    await using listening = receiver.with({ WEBHOOK_SECRET: SECRET }).start(options);
    await until(() => listening.output.split("\n").length > 2);
    expect(listening.output).toMatch(/order\.paid {2}wh_\w+ {2}#1 {2}[^\n]+ {2}\d+ ms\n/);
    expect(listening.output).toContain("#1, attempt 2");
    const { code, err } = await listening.interrupt();
    expect(code).toBe(0);
    expect(err).toContain(`Forwarding ${id} to http://127.0.0.1:9/; Ctrl-C ends it.`);
    expect((await hermod.endpoints.get(id)).id).toBe(id);
  });

  test("says what its options need", async () => {
    const { id, receiver } = await newReader(0);
    const words = await Promise.all(
      [
        ["listen", "--forward-to", "localhost:4000"],
        ["listen", "--endpoint", id],
      ].map((args) => receiver.run(args)),
    );
    expect(words.map(({ code, err }) => [code, err])).toEqual([
      [2, expect.stringContaining("--forward-to must be an http or https URL")],
      [2, expect.stringContaining("--endpoint needs --forward-to")],
    ]);
  });
});
