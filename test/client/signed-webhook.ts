import { webhookHeaders } from "../../src/attempt/webhook-request";
import { type DeliveryId, leastIdAt, toText } from "../../src/domain/ids";

export const ENDPOINT = "ep_01k9x3v5q8e7bt2m4n6p8r0s2t";
export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

type Sent = { id?: number; key?: string | null; secret?: string; body?: string };

/** A request as Hermod sends it. The payload has the number of the id. */
export function webhook(
  sequence: number,
  { id = sequence, key = null, secret = SECRET, body = JSON.stringify({ n: id }) }: Sent = {},
): Request {
  const deliveryId = idOf(id);
  const delivery = { id: deliveryId, event: "a.b", orderingKey: key, sequence };
  const headers = webhookHeaders(delivery, {
    webhookId: toText("wh", deliveryId),
    attempt: 1,
    timestamp: Math.floor(Date.now() / 1_000),
    secrets: [secret],
    added: null,
    body,
  });
  return new Request("http://127.0.0.1/hooks", { method: "POST", headers, body });
}

function idOf(n: number): DeliveryId {
  return `${leastIdAt(1_700_000_000_000).slice(0, 24)}${n.toString(16).padStart(12, "0")}` as DeliveryId;
}
