import type { Outcome, Verdict } from "./outcome";

/**
 * The kinds of tallies, which are the lowest part of a code. Folding makes `accepted` and `lastSequence`. The count of
 * `lastSequence` is an endpoint's last sequence.
 */
const KINDS = {
  retried: 0,
  deliveredFirst: 1,
  deliveredLater: 2,
  failed: 3,
  cancelled: 4,
  expired: 5,
  accepted: 6,
  lastSequence: 7,
} as const;
export type TallyKind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as TallyKind[];

/** The facts about an attempt or an ended delivery that figures over time need. One code contains all of them. */
export type Tally = Readonly<{
  kind: TallyKind;
  /** The first digit of the HTTP status; 0 for no HTTP response. */
  answer: number;
  /** Bucket of the receiver's time. */
  receiver: number;
  /** Bucket of the time from acceptance to delivery; 0 unless delivered. */
  delivery: number;
}>;

const ANSWERS = 16;
const BUCKETS = 128;
/** Each bucket's upper bound is this many times the previous one, so percentiles are exact to 10 %. */
const GROWTH = 1.2;

export function bucketOf(ms: number): number {
  if (ms < 1) return 0;
  return Math.min(1 + Math.floor(Math.log(ms) / Math.log(GROWTH)), BUCKETS - 1);
}

/** Returns the middle of a bucket in milliseconds. */
export function millisecondsOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.round(GROWTH ** (bucket - 0.5));
}

export function encodeTally({ kind, answer, receiver, delivery }: Tally): number {
  return KINDS[kind] + KIND_NAMES.length * (answer + ANSWERS * (receiver + BUCKETS * delivery));
}

export function decodeTally(code: number): Tally {
  const kind = KIND_NAMES[code % KIND_NAMES.length] ?? "retried";
  const rest = Math.floor(code / KIND_NAMES.length);
  const times = Math.floor(rest / ANSWERS);
  return {
    kind,
    answer: rest % ANSWERS,
    receiver: times % BUCKETS,
    delivery: Math.floor(times / BUCKETS),
  };
}

/** Returns the code of a kind without an attempt. */
export function codeOf(kind: TallyKind): number {
  return encodeTally({ kind, answer: 0, receiver: 0, delivery: 0 });
}

/** The kinds in codes of deliveries that are no longer pending. */
export const ENDED_KINDS = [1, 2, 3, 4, 5] as const;
export const DELIVERED_KINDS = [1, 2] as const;
export const KIND_COUNT = KIND_NAMES.length;

/** Returns the code of an attempt's outcome. */
export function tallyOf({ verdict, attempt, attemptCount, acceptedAt }: Outcome): number {
  const { status, startedAt, durationMs } = attempt;
  const isDelivered = verdict.kind === "delivered";
  return encodeTally({
    kind: kindOf(verdict, attemptCount),
    answer: Math.min(Math.floor(status / 100), ANSWERS - 1),
    receiver: bucketOf(durationMs),
    delivery: isDelivered ? bucketOf(startedAt + durationMs - acceptedAt) : 0,
  });
}

function kindOf({ kind }: Verdict, attemptCount: number): TallyKind {
  switch (kind) {
    case "delivered":
      return attemptCount === 0 ? "deliveredFirst" : "deliveredLater";
    case "retry":
    case "stop":
      return "retried";
    default:
      return kind;
  }
}
