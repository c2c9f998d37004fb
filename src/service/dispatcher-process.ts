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
  /** Took this many deliveries over. */
  | { kind: "took"; count: number }
  | { kind: "recorded"; outcomes: readonly RecordedAttempt[] };

/** Takes deliveries over from the main process, and reports what this dispatcher owns and records. */
export function serveMainProcess(
  dispatching: Pick<Dispatching, "offer" | "onRecorded" | "onOwned">,
  signer: Pick<MessageSigner, "treatAsOwn">,
): void {
  process.on("message", ({ origin, hints }: HandOver) => {
    signer.treatAsOwn(origin);
    for (const hint of hints) dispatching.offer(hint);
    report({ kind: "took", count: hints.length });
  });
  dispatching.onOwned((partitions) => report({ kind: "owns", partitions }));
  dispatching.onRecorded((outcomes) => report({ kind: "recorded", outcomes: outcomes.map(forPace) }));
}

export function reportStart(): void {
  report({ kind: "started" });
}

/** Resolves when the main process has ended. */
export function mainProcessGone(): Promise<void> {
  return new Promise((resolve) => process.once("disconnect", () => resolve()));
}

function report(message: ChildReport): void {
  if (process.connected) process.send?.(message);
}

function forPace({ accountId, attempt: { startedAt, durationMs } }: RecordedAttempt): RecordedAttempt {
  return { accountId, attempt: { startedAt, durationMs } };
}
