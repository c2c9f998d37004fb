/** How a send ended for its client. */
export type SendOutcome =
  | { kind: "accepted"; id: string }
  /** Any answer other than 201. From 500 on the send may have been accepted all the same. */
  | { kind: "refused"; status: number }
  /** No answer, or part of one. */
  | { kind: "unknown"; why: string };

/** A delivery that a client requested, and its outcome. Times are Unix milliseconds. */
export type Send = Readonly<{
  /** Unique in the run, and part of the payload, to find the stored delivery by. */
  marker: string;
  endpoint: string;
  orderingKey: string | null;
  data: string;
  startedAt: number;
  endedAt: number;
  outcome: SendOutcome;
  /** True if it was sent with `deliver_after`. */
  isScheduled?: boolean;
  /** The event's marker: the sends with the same one are deliveries of one event. */
  event?: string;
  /** The id of the event in the answer. */
  eventId?: string;
}>;
