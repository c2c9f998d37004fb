import { type PendingDelivery, sizeOf } from "../../domain/pending-delivery";
import { isForgery } from "../../domain/test-event";

/** The deliveries of one request: the first, and those behind it in its order. */
export type DeliveryBatch = Readonly<{ delivery: PendingDelivery; behind: readonly PendingDelivery[] }>;

/** Most payload characters of a request with several deliveries. */
export const BATCH_CHARACTERS = 262_144;

/** Returns true if a delivery may go with those of its order directly in front of it. */
export function joins(batch: DeliveryBatch, next: PendingDelivery, batchSize: number): boolean {
  if (1 + batch.behind.length >= batchSize || !mayShare(batch.delivery) || !mayShare(next)) return false;
  return sizeOfBatch(batch) + sizeOf(next) <= BATCH_CHARACTERS;
}

/** Returns the size of the payloads of a request, in memory or not. */
export function sizeOfBatch({ delivery, behind }: DeliveryBatch): number {
  return behind.reduce((sum, each) => sum + sizeOf(each), sizeOf(delivery));
}

/**
 * Returns true if a delivery may share its request. After a failure each delivery goes alone, so that its answers are about
 * nothing else.
 */
function mayShare({ attemptCount, hasSingleAttempt, data, event }: PendingDelivery): boolean {
  return attemptCount === 0 && !hasSingleAttempt && typeof data === "string" && !isForgery(event);
}

/** Returns true if a test holds for any delivery of a request. Allocates nothing, since it runs for every event of a lane. */
export function hasAny(
  { delivery, behind }: DeliveryBatch,
  test: (each: PendingDelivery) => boolean,
): boolean {
  return test(delivery) || (behind.length > 0 && behind.some(test));
}

/** Returns all deliveries of a request, in sequence. */
export function deliveriesOf({ delivery, behind }: DeliveryBatch): PendingDelivery[] {
  return [delivery, ...behind];
}
