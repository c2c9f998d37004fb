import { webhookHeaders } from "../../../src/attempt/webhook-request";
import { newId } from "../../../src/domain/ids";
import { newSigningSecret } from "../../../src/endpoints/signing-secret";

export const EVENT = "größe.changed";
const DATA = '{"name": "Zoë", "n": 12345678901234567890}';

/** A request as Hermod sends it. */
export function signedRequest(secrets: readonly string[], webhookId: string, ageSeconds = 0): RequestInit {
  const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds;
  const delivery = { id: newId("wh"), event: EVENT, orderingKey: null, sequence: 1 };
  const sent = { webhookId, timestamp, attempt: 1, secrets, added: null, body: DATA };
  return { method: "POST", headers: webhookHeaders(delivery, sent), body: DATA };
}

/** Requests that a receiver with this secret must answer 401. */
export function forgedRequests(secret: string): readonly RequestInit[] {
  return [
    signedRequest([newSigningSecret()], "wh_2"),
    signedRequest([secret], "wh_2", 301),
    signedRequest([secret], "wh_2", -310),
    { ...signedRequest([secret], "wh_2"), body: DATA.replace("Zoë", "Zoe") },
    { method: "POST", body: DATA },
  ];
}
