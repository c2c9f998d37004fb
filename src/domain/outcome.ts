import type { AccountId, EndpointId } from "./ids";

/** The record of an attempt. A status of 0 means no HTTP response. */
export type AttemptRecord = Readonly<{
  status: number;
  error: string | null;
  /** Details of the error. See `Exchange`. */
  errorDetail: string | null;
  /** The target of a redirect. */
  location: string | null;
  /** Unix milliseconds. */
  startedAt: number;
  durationMs: number;
  responseBody: string | null;
  /** The encoded exchange. See `encodeExchange`. */
  exchange: string | null;
}>;

/**
 * Errors of deliveries that receivers read. `receiver_failed`: the receiver reported a failure, in words that are its response.
 * `lease_expired`: it did not acknowledge the delivery in time.
 */
export const PULL_ERRORS = ["receiver_failed", "lease_expired"] as const;
export type PullError = (typeof PULL_ERRORS)[number];

export const INSTRUCTIONS = ["abort-message", "disable"] as const;
/** A receiver's instruction in `webhook-delivery`: to end this delivery, or to send no more deliveries. */
export type Instruction = (typeof INSTRUCTIONS)[number];

export type Verdict =
  | { kind: "delivered" }
  /** The delivery failed. `nextAfterMs` is set if it used up its schedule: the next one of its order gets one attempt after this wait. */
  | { kind: "failed"; nextAfterMs: number | null }
  /** The receiver refused a forged test event, which is right. `nextAfterMs` as for `failed`. */
  | { kind: "cancelled"; nextAfterMs: number | null }
  /** The delivery is attempted again `afterMs` after the recording. A duration and not a time, since clocks differ. */
  | { kind: "retry"; afterMs: number }
  /** The delivery used up its schedule and stays first in its order. Its endpoint is set inactive. */
  | { kind: "stop" };

/**
 * The effect of an attempt on its endpoint's health. `none`: a success of a healthy endpoint, or a failure of Hermod. `failing`:
 * the first failure, or a failure that ended a delivery. `still_failing`: a further failure, which changes nothing for
 * dispatchers. `gone`: a 410. `unwanted`: the receiver asked for no more deliveries. `exhausted`: the verdict is `stop`.
 */
export type HealthChange =
  | "none"
  | "recovered"
  | "failing"
  | "still_failing"
  | "gone"
  | "unwanted"
  | "exhausted";

/** The outcome of an attempt of a queued delivery, and the delivery's state as known to the dispatcher. */
export type Outcome = Readonly<{
  partition: number;
  endpointId: EndpointId;
  accountId: AccountId;
  sequence: number;
  event: string | null;
  /** Number of attempts recorded before this one. */
  attemptCount: number;
  attempt: AttemptRecord;
  verdict: Verdict;
  health: HealthChange;
  /** The endpoint rests for this long after the recording; null if it does not rest. */
  restMs: number | null;
  /** When the delivery was accepted, in Unix milliseconds. */
  acceptedAt: number;
}>;

/** True if the recording may change the endpoint, or make another of its deliveries due. */
export function changesEndpoint({ verdict, health, restMs }: Outcome): boolean {
  return drains(verdict) || restMs !== null || (health !== "none" && health !== "still_failing");
}

/** True if the delivery used up its schedule, so that the next one of its order gets a single attempt. */
export function drains(verdict: Verdict): boolean {
  return (verdict.kind === "failed" || verdict.kind === "cancelled") && verdict.nextAfterMs !== null;
}

/** Written, with the endpoint's new revision (0 if the endpoint is deleted); or refused: Postgres has another state of the delivery. */
export type Recorded = { applied: true; revision: number } | { applied: false };

/** Returns the record of several outcomes of an endpoint: written if all are. */
export function together(all: readonly Recorded[]): Recorded {
  let revision = 0;
  for (const each of all) {
    if (!each.applied) return each;
    // 0: the endpoint is deleted, which nothing undoes.
    revision = each.revision === 0 ? 0 : Math.max(revision, each.revision);
  }
  return { applied: true, revision };
}
