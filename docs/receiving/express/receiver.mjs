// npm install express, and Hermod's client. Run it with Node 24 or Bun: WEBHOOK_SECRET=whsec_… node receiver.mjs
import { DatabaseSync } from "node:sqlite";
import { setInterval } from "node:timers/promises";
import express from "express";
import { verify, WebhookVerificationError } from "hermod-client";

const secrets = process.env.WEBHOOK_SECRET.split(" "); // several while one is being replaced

const db = new DatabaseSync("webhooks.sqlite");
db.exec("create table if not exists webhooks (id text primary key, sequence integer, event text, body text, done integer)");
const store = db.prepare("insert into webhooks values (?, ?, ?, ?, 0) on conflict do nothing");
const waiting = db.prepare("select * from webhooks where done = 0 and sequence > 0 order by sequence");
const finish = db.prepare("update webhooks set done = 1 where id = ?");

const app = express();

// 1. Read the body as bytes, up to a limit. No parser of JSON may come before.
app.post("/hooks", express.raw({ type: () => true, limit: "2mb" }), (request, response) => {
  // 2. Verify the signature.
  const { id, sequence, event } = verify(request.body, request.headers, secrets);
  // 3. Store the webhook under its id, unless it came before.
  store.run(id, sequence, event, request.body.toString());
  // 4. Answer 2xx.
  response.status(204).end();
});

app.use((error, _request, response, next) => {
  if (error instanceof WebhookVerificationError) response.status(401).send(error.message);
  else next(error);
});

app.listen(4000, "127.0.0.1");

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
