import { DELIVERY_WEIGHT } from "../dispatch/actor";
import type { RecordedAttempt } from "../intake/events/delivery-pace";
import type { Hint } from "../stream/hint";
import type { MessageSigner } from "../stream/signer";
import type { Dispatching } from "./dispatching";

/** The argument of a dispatcher that the main process started. */
export const CHILD = "child";

/** Accepted deliveries of partitions that the child owns. `origin` also publishes them on the stream. */
export type HandOver = Readonly<{ origin: string; hints: readonly Hint[] }>;

export type ChildReport =
  | { kind: "started" }
  | { kind: "owns"; partitions: readonly number[] }
  /** Took over deliveries of this weight. */
  | { kind: "took"; weight: number }
  | { kind: "recorded"; outcomes: readonly RecordedAttempt[] };

/** A main process that stands still gets no further outcomes. It then stops waiting for them, see `DeliveryPace`. */
const MOST_UNREAD_REPORTS = 100;

/** Characters that a delivery takes in memory. */
export function weightOf({ data }: Hint): number {
  return DELIVERY_WEIGHT + (data?.length ?? 0);
}

/** Takes deliveries over from the main process, and reports what this dispatcher owns and records. */
export function serveMainProcess(
  dispatching: Pick<Dispatching, "offer" | "onRecorded" | "onOwned">,
  signer: Pick<MessageSigner, "treatAsOwn">,
): void {
  process.on("message", ({ origin, hints }: HandOver) => {
    signer.treatAsOwn(origin);
    for (const hint of hints) dispatching.offer(hint);
    report({ kind: "took", weight: hints.reduce((sum, hint) => sum + weightOf(hint), 0) });
  });
  dispatching.onOwned((partitions) => report({ kind: "owns", partitions }));
  let unread = 0;
  dispatching.onRecorded((outcomes) => {
    if (unread >= MOST_UNREAD_REPORTS) return;
    unread++;
    report({ kind: "recorded", outcomes: outcomes.map(forPace) }, () => unread--);
  });
}

export function reportStart(): void {
  report({ kind: "started" });
}

/** Resolves when the main process has ended. */
export function mainProcessGone(): Promise<void> {
  return new Promise((resolve) => process.once("disconnect", () => resolve()));
}

/** Calls `wasRead` once the main process has read the message, or can't. */
function report(message: ChildReport, wasRead = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, wasRead);
}

function forPace({ accountId, attempt: { startedAt, durationMs } }: RecordedAttempt): RecordedAttempt {
  return { accountId, attempt: { startedAt, durationMs } };
}
