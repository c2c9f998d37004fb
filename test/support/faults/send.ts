/** A client's result of a send. */
export type SendOutcome =
  | { kind: "accepted"; id: string }
  /** An answer that is no 201. From 500 on the send may have been accepted all the same. */
  | { kind: "refused"; status: number }
  /** No answer, or not a whole one. */
  | { kind: "unknown"; why: string };

/** A delivery that the client requested, and its result. Times are Unix milliseconds. */
export type Send = Readonly<{
  /** Unique over the run, and part of the payload: by it the stored delivery is known. */
  marker: string;
  endpoint: string;
  orderingKey: string | null;
  data: string;
  startedAt: number;
  endedAt: number;
  outcome: SendOutcome;
  /** It was sent with `deliver_after`. */
  isScheduled?: boolean;
  /** The results for all endpoints of an event. */
  event?: string;
  /** The event as it was answered. */
  eventId?: string;
}>;
