// #region connect
import { Hermod } from "hermod-client";

const hermod = new Hermod({ url: "http://127.0.0.1:3000", key: process.env.HERMOD_KEY ?? "" });
// #endregion

// #region retry
for (const { endpoint_id, pending } of (await hermod.backlog()).data) {
  const { retried } = await hermod.endpoints.retry(endpoint_id); // the first one, now
  console.log(endpoint_id, pending, retried);
}
// #endregion

// #region failed
const failed = await hermod.webhooks.list({ status: "failed", limit: 20 });
for (const { id, event, response_status } of failed.data) console.log(id, event, response_status);
// #endregion

// #region iterate
for await (const { id, status } of hermod.webhooks.all({ "data.order": "4711" })) console.log(id, status);
// #endregion

const failedId = failed.data[0]?.id ?? "";
// #region resend
const again = await hermod.webhooks.resend(failedId);
const job = await hermod.webhooks.resendMany({ filter: { status: "failed", event_type: "order.paid" } });
console.log(again.id, job.id);
// #endregion

// #region create-endpoint
const endpoint = await hermod.endpoints.create({
  url: "http://127.0.0.1:4000/hooks",
  event_filter: "user.*",
});
console.log(endpoint.id, endpoint.signing_secret); // the secret is shown once
// #endregion

// #region publish
const event = await hermod.events.publish({ event: "user.created", data: { id: 1 } });
console.log(event.id, event.deliveries.length);
// #endregion

// #region send
const sent = await hermod.webhooks.send(
  { endpoint_id: endpoint.id, event: "user.renamed", data: { id: 1 } },
  { idempotencyKey: "user-1-renamed" }, // makes a repeat safe
);
console.log(sent.id, sent.status);
// #endregion

// #region follow
for await (const { event, status } of hermod.webhooks.follow({}, { from: "start" })) {
  console.log(event, status);
  break; // without it, the loop goes on for ever
}
// #endregion

// #region pull-endpoint
const pulled = await hermod.endpoints.create({ delivery: "pull", event_filter: "parcel.*" });
const { key } = await hermod.endpoints.createReceiverKey(pulled.id, { name: "Warehouse" });
// #endregion

// #region send-parcel
await hermod.events.publish({ event: "parcel.sent", data: { parcel: 1 } });
// #endregion

// #region receive
const receiver = new Hermod({ url: "http://127.0.0.1:3000", key });
for await (const { sequence, event } of receiver.receive(pulled.id, { untilEmpty: true })) {
  console.log(sequence, event); // acknowledged when the loop goes on
}
// #endregion

// #region event-type
const schema = { required: ["id"], properties: { id: { type: "integer" } } };
await hermod.eventTypes.putSchema("user.created", schema);

// #endregion

// #region errors
import { HermodError } from "hermod-client";

try {
  await hermod.events.publish({ event: "user.created", data: { id: "one" } });
} catch (error) {
  if (!(error instanceof HermodError)) throw error;
  console.log(error.status, error.code, error.requestId);
}
// #endregion

// #region portal
const link = await hermod.createPortalSession({ capabilities: ["view", "retry"] });
console.log(link.url);
// #endregion

const body = process.env.WEBHOOK_BODY ?? "";
const headers = {
  "webhook-id": process.env.WEBHOOK_ID,
  "webhook-timestamp": process.env.WEBHOOK_TIMESTAMP,
  "webhook-signature": process.env.WEBHOOK_SIGNATURE,
};

// #region verify
import { verify } from "hermod-client";

const webhook = verify(body, headers, process.env.WEBHOOK_SECRET ?? ""); // throws if it is not genuine
console.log(webhook.id);
// #endregion
