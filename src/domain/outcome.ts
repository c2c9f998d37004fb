import type { AccountId, EndpointId } from "./ids";

/** One attempt as it went; status 0 means that no HTTP response came. */
export type AttemptRecord = Readonly<{
  status: number;
  error: string | null;
  /** Why, more closely; see `Exchange`. */
  errorDetail?: string | null;
  /** Where a redirect leads. */
  location?: string | null;
  /** Unix milliseconds. */
  startedAt: number;
  durationMs: number;
  responseBody: string | null;
  /** See `encodeExchange`. */
  exchange?: string | null;
}>;

export const INSTRUCTIONS = ["abort-message", "disable"] as const;
/** What a receiver asks for by `webhook-delivery`: to try this delivery no more, or to send it nothing more. */
export type Instruction = (typeof INSTRUCTIONS)[number];

export type Verdict =
  | { kind: "delivered" }
  /**
   * Ended without success. `nextAfterMs`: the delivery used up its schedule, so the next one of its order gets a single attempt
   * after this wait, milliseconds, and an endpoint with `on_exhausted: pause` is set inactive. Null: neither.
   */
  | { kind: "failed"; nextAfterMs: number | null }
  /** The receiver refused a forged test event, as it should. `nextAfterMs`: as for `failed`. */
  | { kind: "cancelled"; nextAfterMs: number | null }
  /** To be tried again so many milliseconds after it is recorded. No time of day: clocks differ. */
  | { kind: "retry"; afterMs: number };

/**
 * How an attempt bears on its endpoint's health. `none`: a success of a healthy endpoint, or a failure of our own. `failing`: its
 * first failure, or one that ended a delivery. `still_failing`: a further one, which changes nothing for dispatchers. `gone`: a
 * 410. `unwanted`: its receiver asked to be sent no more.
 */
export type HealthChange = "none" | "recovered" | "failing" | "still_failing" | "gone" | "unwanted";

/** The outcome of an attempt at a queued delivery, and the state the delivery was believed to be in. */
export type Outcome = Readonly<{
  partition: number;
  endpointId: EndpointId;
  accountId: AccountId;
  sequence: number;
  event: string | null;
  /** Attempts recorded before this one. */
  attemptCount: number;
  attempt: AttemptRecord;
  verdict: Verdict;
  health: HealthChange;
  /** The endpoint is to be left alone for so long after the record, milliseconds; null or absent: it is not. */
  restMs?: number | null;
  /** When the delivery was accepted, Unix milliseconds; null or absent: unknown. */
  acceptedAt?: number | null;
}>;

/** True when the record may have changed the endpoint, or when another of its deliveries may be attempted. */
export function changesEndpoint({ verdict, health, restMs = null }: Outcome): boolean {
  return drains(verdict) || restMs !== null || (health !== "none" && health !== "still_failing");
}

/** True if the delivery ended such that the next one of its order waits for a single attempt. */
export function drains(verdict: Verdict): boolean {
  return (verdict.kind === "failed" || verdict.kind === "cancelled") && verdict.nextAfterMs !== null;
}

/** Applied, with the endpoint's revision now; or refused, because Postgres had the delivery otherwise. */
export type RecordAnswer = { applied: true; revision: number } | { applied: false };

/** The outcome at this index was written; `revision` is its endpoint's, 0 when the endpoint is deleted. */
export type RecordedRow = { index: number; revision: number };
