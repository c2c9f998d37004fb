// Run it with Node 24 or Bun: WEBHOOK_SECRET=whsec_… node receiver.mjs. It has no dependencies.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { setInterval } from "node:timers/promises";

const SECRETS = process.env.WEBHOOK_SECRET.split(" "); // several while one is being replaced
const TOLERANCE_SECONDS = 300;
const LARGEST_BODY = 2 * 1_048_576; // twice the largest payload: anybody can send to a receiver

const db = new DatabaseSync("webhooks.sqlite");
db.exec("create table if not exists webhooks (id text primary key, sequence integer, event text, body text, done integer)");
const store = db.prepare("insert into webhooks values (?, ?, ?, ?, 0) on conflict do nothing");
const waiting = db.prepare("select * from webhooks where done = 0 and sequence > 0 order by sequence");
const finish = db.prepare("update webhooks set done = 1 where id = ?");

function isGenuine(body, { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures }) {
  if (!id || !signatures || !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return SECRETS.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    if (key.length === 0) return false; // everybody knows the empty key
    const expected = Buffer.from(`v1,${createHmac("sha256", key).update(content).digest("base64")}`);
    const given = signatures.split(" ").map((signature) => Buffer.from(signature));
    return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  });
}

createServer(async (request, response) => {
  // 1. Read the body as bytes, up to a limit.
  if (!(Number(request.headers["content-length"]) <= LARGEST_BODY)) return response.writeHead(413).end();
  const body = Buffer.concat(await Array.fromAsync(request));
  // 2. Verify the signature.
  if (!isGenuine(body, request.headers)) return response.writeHead(401).end();
  // 3. Store the webhook under its id, unless it came before.
  const { "webhook-id": id, "webhook-sequence": sequence, "webhook-event": event = "" } = request.headers;
  store.run(id, Number(sequence), decodeURIComponent(event), body.toString());
  // 4. Answer 2xx.
  response.writeHead(204).end();
}).listen(4000, "127.0.0.1");

// 5. Work afterwards, in order. A failure holds back what follows until it succeeds.
function work() {
  for (const { id, sequence, event, body } of waiting.all()) {
    console.log(sequence, event, body);
    finish.run(id);
  }
}

for await (const _ of setInterval(1_000))
  try {
    work();
  } catch (error) {
    console.error(error);
  }
