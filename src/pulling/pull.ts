import type { DeliveryId } from "../domain/ids";

/** A receiver's request: it settles what it has read, and asks for the next page. */
export type PullRequest = Readonly<{
  /** Most deliveries of the page. */
  limit: number;
  /** The receiver's time for the page. */
  leaseMs: number;
  /** The receipt of the request, by which a receiver that loses the answer gets the page again; null for none. */
  previous: string | null;
  /** The page that is settled; null for none. */
  settles: Settlement | null;
}>;

/** What a receiver says about the page of a receipt. */
export type Settlement = Readonly<{
  receipt: string;
  /** Acknowledges the page's deliveries up to this sequence; null for none. */
  through: number | null;
  acknowledged: readonly DeliveryId[];
  /** True if the receiver hands back what it neither acknowledges nor fails. */
  releases: boolean;
  failed: readonly ReportedFailure[];
}>;

export type ReportedFailure = Readonly<{
  id: DeliveryId;
  /** The receiver's own words. */
  error: string;
  /** The least wait that the receiver asks for. */
  retryAfterMs: number;
}>;

/** A delivery as a receiver reads it. */
export type PulledDelivery = Readonly<{
  id: DeliveryId;
  /** The delivery that this one resends; null for none. */
  replayOf: DeliveryId | null;
  /** The sender's id of the event; null for none. */
  eventExternalId: string | null;
  sequence: number;
  event: string | null;
  orderingKey: string | null;
  /** Counts from 1. */
  attempt: number;
  /** The payload as JSON text, byte for byte as it was sent; null if it is erased. */
  data: string | null;
}>;

export type PullAnswer =
  /** `receipt` is null if nothing is there. */
  | Readonly<{ kind: "page"; deliveries: readonly PulledDelivery[]; receipt: string | null }>
  /** The endpoint was switched to push, and its last page has now ended. */
  | Readonly<{ kind: "handed_over" }>
  /** The account has no such endpoint. */
  | Readonly<{ kind: "unknown" }>
  /** The endpoint is pushed. */
  | Readonly<{ kind: "pushed" }>
  /** The receipt's page was handed out again, or ended. Nothing was changed. */
  | Readonly<{ kind: "outdated" }>
  /** The request does not fit the page. Nothing was changed. */
  | Readonly<{ kind: "refused"; problem: string }>;

/** A page without deliveries. */
export const NOTHING: PullAnswer = { kind: "page", deliveries: [], receipt: null };
