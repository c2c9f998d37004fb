// npm install hono @hono/node-server, and Hermod's client. Run it with Node 24 or Bun: WEBHOOK_SECRET=whsec_… node receiver.mjs
import { DatabaseSync } from "node:sqlite";
import { setInterval } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { BodyTooLarge, readBody, verify, WebhookVerificationError } from "hermod-client";
import { Hono } from "hono";

const secrets = process.env.WEBHOOK_SECRET.split(" "); // several while one is being replaced

const db = new DatabaseSync("webhooks.sqlite");
db.exec("create table if not exists webhooks (id text primary key, sequence integer, event text, body text, done integer)");
const store = db.prepare("insert into webhooks values (?, ?, ?, ?, 0) on conflict do nothing");
const waiting = db.prepare("select * from webhooks where done = 0 and sequence > 0 order by sequence");
const finish = db.prepare("update webhooks set done = 1 where id = ?");

const app = new Hono();

app.post("/hooks", async (c) => {
  // 1. Read the body as bytes, up to a limit.
  const body = await readBody(c.req.raw);
  // 2. Verify the signature.
  const { id, sequence, event } = verify(body, c.req.raw.headers, secrets);
  // 3. Store the webhook under its id, unless it came before.
  store.run(id, sequence, event, new TextDecoder().decode(body));
  // 4. Answer 2xx.
  return c.body(null, 204);
});

app.onError((error, c) => {
  if (error instanceof WebhookVerificationError) return c.text(error.message, 401);
  if (error instanceof BodyTooLarge) return c.text(error.message, 413);
  console.error(error);
  return c.body(null, 500);
});

serve({ fetch: app.fetch, port: 4000, hostname: "127.0.0.1" });

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
