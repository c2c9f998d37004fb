import { decodeTally, millisecondsOf } from "../domain/tally";

/** The 50th, 95th and 99th percentiles in milliseconds, exact to 10 %; null without values. */
export type Percentiles = { p50: number; p95: number; p99: number } | null;

export const ANSWER_CLASSES = ["none", "1xx", "2xx", "3xx", "4xx", "5xx", "other"] as const;
export type AnswerClass = (typeof ANSWER_CLASSES)[number];

/** Figures of one span of time. The model in `resources/stats/series` documents each. */
export type Figures = {
  accepted: number;
  delivered: number;
  deliveredFirst: number;
  failed: number;
  cancelled: number;
  attempts: Record<AnswerClass, number>;
  deliveryMs: Percentiles;
  receiverMs: Percentiles;
};

/** A code of `domain/tally`, and how often it occurred. */
export type Counted = Readonly<{ code: number; n: number }>;

export function figuresOf(counted: readonly Counted[]): Figures {
  const kinds = {
    retried: 0,
    deliveredFirst: 0,
    deliveredLater: 0,
    failed: 0,
    cancelled: 0,
    expired: 0,
    accepted: 0,
    lastSequence: 0,
  };
  const attempts = { none: 0, "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, other: 0 };
  const [delivery, receiver] = [new Histogram(), new Histogram()];
  for (const { code, n } of counted) {
    const tally = decodeTally(code);
    const { kind } = tally;
    kinds[kind] += n;
    const isDelivered = kind === "deliveredFirst" || kind === "deliveredLater";
    if (isDelivered) delivery.add(tally.delivery, n);
    if (!isDelivered && kind !== "retried" && kind !== "failed") continue;
    attempts[ANSWER_CLASSES[tally.answer] ?? "other"] += n;
    if (tally.answer > 0) receiver.add(tally.receiver, n);
  }
  return {
    accepted: kinds.accepted,
    delivered: kinds.deliveredFirst + kinds.deliveredLater,
    deliveredFirst: kinds.deliveredFirst,
    failed: kinds.failed + kinds.expired,
    cancelled: kinds.cancelled,
    attempts,
    deliveryMs: delivery.percentiles(),
    receiverMs: receiver.percentiles(),
  };
}

/** Returns the change of the number of pending deliveries during the figures' time. */
export function growthIn({ accepted, delivered, failed, cancelled }: Figures): number {
  return accepted - delivered - failed - cancelled;
}

class Histogram {
  private readonly counts = new Map<number, number>();
  private total = 0;

  add(bucket: number, n: number): void {
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + n);
    this.total += n;
  }

  percentiles(): Percentiles {
    if (this.total === 0) return null;
    const sorted = [...this.counts].sort(([a], [b]) => a - b);
    const at = (share: number) => {
      let left = Math.ceil(this.total * share);
      for (const [bucket, n] of sorted) {
        left -= n;
        if (left <= 0) return millisecondsOf(bucket);
      }
      return 0;
    };
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  }
}
