import type { AccountId, DeliveryId } from "../runtime/ids";

/** A delivery that waits for its attempt, with all that the attempt needs. */
export type PendingDelivery = Readonly<{
  id: DeliveryId;
  accountId: AccountId;
  /** Its place in the endpoint's order. */
  sequence: number;
  event: string | null;
  data: string;
  /** The first delivery of what this one sends again: receivers know both by its id. */
  replayOf?: DeliveryId | null;
  /** Attempts recorded so far. */
  attemptCount: number;
}>;
