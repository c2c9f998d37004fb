import { createHash } from "node:crypto";
import { enveloped, webhookIdOf } from "../attempt/webhook-request";
import { type DeliveryId, type EndpointId, hopsOf, timeOf } from "../domain/ids";
import type { Outcome, Verdict } from "../domain/outcome";
import type { PendingDelivery } from "../domain/pending-delivery";

/** The deliveries of a request, in their order. */
export type BatchDeliveries = readonly [PendingDelivery, ...PendingDelivery[]];

/** The facts of such a request that become headers. Types and keys are in its envelopes. */
export function namedInHeaders(shared: BatchDeliveries) {
  const [{ sequence }] = shared;
  // A loop through any of the deliveries is a loop.
  const id = shared.reduce(
    (most: DeliveryId, each) => (hopsOf(each.id) > hopsOf(most) ? each.id : most),
    shared[0].id,
  );
  return { id, sequence, event: null, orderingKey: null };
}

/** Names a request by its deliveries. So the same id has the same bytes, whichever process sends them. */
export function batchIdOf(shared: BatchDeliveries): string {
  const hash = createHash("sha256");
  for (const { id } of shared) hash.update(id);
  return `batch_${hash.digest("base64url").slice(0, 22)}`;
}

/** Writes the body of a request with any number of deliveries. */
export function batchBody(deliveries: readonly PendingDelivery[], endpointId: EndpointId): string {
  return `[${deliveries.map((each) => itemOf(each, endpointId, String(each.data))).join(",")}]`;
}

/** Writes a delivery as an item of the body. */
export function itemOf(delivery: PendingDelivery, endpointId: EndpointId, payload: string): string {
  const { id, replayOf, event, sequence, orderingKey } = delivery;
  const place = { sequence, ordering_key: orderingKey };
  return enveloped(webhookIdOf(delivery, endpointId), event, timeOf(replayOf ?? id), payload, place);
}

/**
 * Returns the verdict on the first delivery of a request. A failure may be about any of them, so it ends none: each is sent
 * alone from then on.
 */
export function verdictOnBatch(alone: Verdict): Verdict {
  if (alone.kind === "delivered" || alone.kind === "retry") return alone;
  return { kind: "retry", afterMs: 0 };
}

/** Returns the outcomes of the deliveries behind the first, from its own. After a failure they wait for it, and for nothing else. */
export function outcomesBehind(first: Outcome, behind: readonly PendingDelivery[]): Outcome[] {
  const verdict: Verdict = first.verdict.kind === "delivered" ? first.verdict : { kind: "retry", afterMs: 0 };
  return behind.map(({ id, accountId, sequence, event, attemptCount }) => ({
    ...first,
    accountId,
    sequence,
    event,
    attemptCount,
    verdict,
    health: "none",
    restMs: null,
    acceptedAt: timeOf(id),
  }));
}
