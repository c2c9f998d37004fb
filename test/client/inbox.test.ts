import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InboxEvent, InboxOptions } from "../../src/client/inbox/index.ts";
import { newSigningSecret } from "../../src/endpoints/signing-secret";
import { recordAttempt } from "../http/attempts";
import { useService } from "../http/service";
import { atEnd } from "../support/at-end";
import { until } from "../support/faults/until";
import { freePort } from "../support/free-port";
import { testDatabase } from "../support/postgres";
import { DRIVERS, type Driver, newReceiver } from "./inbox-receiver";
import { ENDPOINT, SECRET, webhook } from "./signed-webhook";

setDefaultTimeout(120_000);

const folder = await mkdtemp(join(tmpdir(), "hermod-inbox-"));
atEnd(() => rm(folder, { recursive: true, force: true }));

const ROOT = join(import.meta.dir, "../..");
const service = await useService();

let count = 0;
async function addressOf(driver: Driver): Promise<string> {
  if (driver.endsWith("sqlite")) return join(folder, `${++count}.sqlite`);
  const database = await testDatabase();
  atEnd(database.drop);
  return database.url;
}

async function receiverOn(
  driver: Driver,
  options: Partial<InboxOptions> = {},
  fails?: Parameters<typeof newReceiver>[3],
) {
  const all = { endpoint: ENDPOINT, secrets: SECRET, onError: () => {}, ...options };
  const receiver = await newReceiver(driver, await addressOf(driver), all, fails);
  atEnd(receiver.close);
  return receiver;
}

const numbersOf = (effects: { sequence: number }[]) => effects.map(({ sequence }) => sequence);

describe.each(DRIVERS)("an inbox in %s", (driver) => {
  test("does the work of a webhook once, also if it comes at the same time or is sent again", async () => {
    const receiver = await receiverOn(driver);
    const same = await Promise.all(Array.from({ length: 5 }, () => receiver.handle(webhook(1))));
    expect(same.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    expect((await receiver.handle(webhook(7, { id: 1 }))).status).toBe(204);
    expect((await receiver.handle(webhook(5))).status).toBe(204);
    expect(await receiver.effects()).toEqual([
      { sequence: 1, n: 1 },
      { sequence: 5, n: 5 },
    ]);
  });

  test("takes all webhooks of a request or none, and those that failed when they come alone", async () => {
    let isBroken = true;
    const receiver = await receiverOn(driver, { batched: true }, () => isBroken);
    const batch = (...numbers: number[]) => {
      const items = numbers.map((n) => {
        return { id: `wh_${n}`, type: "a.b", sequence: n, ordering_key: null, data: { n } };
      });
      return webhook(numbers[0] ?? 0, { body: JSON.stringify(items) });
    };
    expect((await receiver.handle(batch(1, 2, 3))).status).toBe(500);
    expect(await receiver.effects()).toEqual([]);
    isBroken = false;
    expect((await receiver.handle(batch(1))).status).toBe(204);
    expect((await receiver.handle(batch(1, 2, 3))).status).toBe(204);
    expect(await receiver.effects()).toEqual([1, 2, 3].map((n) => ({ sequence: n, n })));
    expect((await receiver.handle(webhook(4))).status).toBe(401);
  });

  test("does the work again if it failed, and refuses what is not signed or has no number", async () => {
    let isBroken = true;
    const receiver = await receiverOn(driver, {}, () => isBroken);
    expect((await receiver.handle(webhook(1))).status).toBe(500);
    isBroken = false;
    expect((await receiver.handle(webhook(1))).status).toBe(204);
    expect((await receiver.handle(webhook(2, { secret: newSigningSecret() }))).status).toBe(401);
    const unnumbered = webhook(3);
    unnumbered.headers.delete("webhook-sequence");
    expect((await receiver.handle(unnumbered)).status).toBe(400);
    expect(numbersOf(await receiver.effects())).toEqual([1]);
  });

  test("stores what comes early, and does the work in the order of the numbers", async () => {
    const receiver = await receiverOn(driver, { ordered: true });
    for (const n of [3, 2, 5, 3]) expect((await receiver.handle(webhook(n))).status).toBe(202);
    expect(await receiver.effects()).toEqual([]);
    // A resend of 2, whose work is done in the place of the original.
    await receiver.handle(webhook(4, { id: 2 }));
    await receiver.handle(webhook(1));
    await until(async () => (await receiver.effects()).length === 4);
    expect(numbersOf(await receiver.effects())).toEqual([1, 2, 3, 5]);
  });

  test("lets only webhooks with the same ordering key wait for work that fails", async () => {
    let isBroken = true;
    const receiver = await receiverOn(
      driver,
      { ordered: true },
      ({ sequence }) => isBroken && sequence === 2,
    );
    await receiver.handle(webhook(3, { key: "b" }));
    await receiver.handle(webhook(4, { key: "a" }));
    await receiver.handle(webhook(2, { key: "a" }));
    await receiver.handle(webhook(1, { key: "a" }));
    await until(async () => (await receiver.effects()).length === 2);
    expect(numbersOf(await receiver.effects())).toEqual([1, 3]);
    isBroken = false;
    await until(async () => (await receiver.effects()).length === 4);
    expect(numbersOf(await receiver.effects())).toEqual([1, 3, 2, 4]);
  });

  test("refuses a number that comes again with another id, as after a restore of Hermod", async () => {
    const errors: unknown[] = [];
    const receiver = await receiverOn(driver, { onError: (error) => errors.push(error) });
    await receiver.handle(webhook(1));
    expect((await receiver.handle(webhook(1, { id: 9 }))).status).toBe(500);
    expect(String(errors[0])).toContain("came again");
  });
});

test("an inbox answers 413 to a larger body than it may read, without reading it to its end", async () => {
  const receiver = await receiverOn("bun:sqlite", { maxBodyBytes: 4_096 });
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (stream) => {
      sent++;
      stream.enqueue(new Uint8Array(1_024));
    },
  });
  const request = new Request("http://127.0.0.1/hooks", { method: "POST", body: endless });
  expect((await receiver.handle(request)).status).toBe(413);
  expect(sent).toBeLessThan(10);
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: receiver.handle });
  atEnd(() => server.stop(true));
  const posted = await fetch(server.url, { method: "POST", body: "a".repeat(2 ** 20) });
  expect(posted.status).toBe(413);
  const { method, headers } = webhook(1);
  expect((await fetch(server.url, { method, headers, body: await webhook(1).text() })).status).toBe(204);
});

test("the work gets the payload's text as it was sent, from a webhook and from the log", async () => {
  const raw = '{"n" : 12345678901234567890, "b":1.50,"1":"\\u00e9\\"}","data":[{}]}';
  const client = await service.newClient();
  const endpoint = await client.newEndpoint({ ordering: "unordered" });
  const { key } = await client.expecting(201, client.post(`/endpoints/${endpoint.id}/receiver-keys`, {}));
  const body = `{"endpoint_id":"${endpoint.id}","event":"a.b","data":${raw}}`;
  const sent = await client.expecting(201, client.post("/webhooks", body));
  await recordAttempt(service.database.db, sent, { status: 200 });
  const seen: string[] = [];
  const see = (event: InboxEvent) => seen.push(event.text) === 0;
  const catchUp = { url: service.url, key };
  const receiver = await receiverOn("bun:sqlite", { endpoint: endpoint.id, ordered: true, catchUp }, see);
  await receiver.catchUp();
  await receiver.handle(webhook(2, { body: raw }));
  const unordered = await receiverOn("bun:sqlite", {}, see);
  await unordered.handle(webhook(1, { body: raw }));
  await until(() => seen.length === 3);
  expect(seen).toEqual([raw, raw, raw]);
});

test("an inbox reads what does not arrive from the endpoint's log", async () => {
  const client = await service.newClient();
  const endpoint = await client.newEndpoint({ ordering: "unordered" });
  const { key } = await client.expecting(201, client.post(`/endpoints/${endpoint.id}/receiver-keys`, {}));
  const sent = [];
  for (let n = 1; n <= 6; n++) sent.push(await client.send(endpoint.id, "a.b", { n }));
  await client.expecting(200, client.post(`/webhooks/${sent[1].id}/cancel`));
  await client.expecting(200, client.delete(`/webhooks/${sent[3].id}/payload`));
  for (const [i, each] of sent.entries())
    if (i !== 1 && i !== 3)
      await recordAttempt(
        service.database.db,
        each,
        i === 4 ? { status: 500, verdict: "failed" } : { status: 200 },
      );
  const receiver = await receiverOn("bun:sqlite", {
    endpoint: endpoint.id,
    ordered: true,
    catchUp: { url: service.url, key, afterSeconds: 0.1 },
  });
  await receiver.handle(webhook(7));
  await until(async () => (await receiver.effects()).length === 5);
  expect(numbersOf(await receiver.effects())).toEqual([1, 3, 5, 6, 7]);
});

test("the receiver of the docs does the work of a webhook", async () => {
  const page = await readFile(join(ROOT, "docs/catching-up.md"), "utf8");
  const program = /^```js\n(.*?)^```$/ms.exec(page)?.[1] ?? "";
  const place = await mkdtemp(join(folder, "docs-"));
  const port = freePort();
  const modules = join(place, "node_modules/hermod-client");
  await mkdir(modules, { recursive: true });
  await symlink(join(ROOT, "src/client"), join(modules, "client"));
  const exports = { "./inbox": "./client/inbox/index.ts" };
  await writeFile(join(modules, "package.json"), JSON.stringify({ name: "hermod-client", exports }));
  await writeFile(join(place, "receiver.mjs"), program.replaceAll("4000", String(port)));
  const env = { PATH: process.env.PATH ?? "", WEBHOOK_SECRET: SECRET, ENDPOINT };
  const child = Bun.spawn([process.execPath, "receiver.mjs"], { cwd: place, env });
  try {
    const { method, headers } = webhook(1);
    const sent = { method, headers, body: await webhook(1).text() };
    await until(async () => (await fetch(`http://127.0.0.1:${port}/`, sent)).status === 202);
    const db = new Database(join(place, "shop.sqlite"));
    await until(() => db.query("select count(*) as count from orders").get());
    expect(db.query("select * from orders").all()).toEqual([{ number: 1, event: "a.b", data: '{"n":1}' }]);
    db.close();
  } finally {
    child.kill();
    await child.exited;
  }
});
