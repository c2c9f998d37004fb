import type { AccountId } from "../../domain/ids";
import type { AttemptRecord } from "../../domain/outcome";
import { BoundedMap } from "../../runtime/bounded-map";
import type { Clock } from "../../runtime/clock";

/** Deliveries of an account that may be without an outcome when its next events are accepted. */
export const MOST_AHEAD = 300;
/** An account without an outcome for this long waits for its receivers, or for a retry. Its events go on. */
export const STALLED_MS = 200;
/** Weight of the latest outcome in `ours`. */
const LATEST = 0.1;
/** An account that was forgotten starts anew, so its events are accepted without a wait. */
const MAX_ACCOUNTS = 10_000;

/** An outcome, as far as the pace needs it. */
export type RecordedAttempt = Readonly<{
  accountId: AccountId;
  attempt: Pick<AttemptRecord, "startedAt" | "durationMs">;
}>;

type AccountPace = {
  /** Deliveries that the dispatcher of this process was given, without those that had an outcome. */
  ahead: number;
  /** Share of the latest outcomes whose recording took longer than the attempt. */
  ours: number;
  /** When its last outcome was recorded, in monotonic milliseconds. */
  recordedAt: number;
  caughtUp: PromiseWithResolvers<void> | null;
};

/**
 * Makes an account's next events wait until this process has delivered most of the earlier ones. An ordered endpoint makes its
 * next attempt after the commit of its last outcome. Events that are accepted at full speed take the time of these commits, and
 * the backlog grows for as long as clients send.
 *
 * Applies only where Hermod is the limit: while recordings take longer than attempts. Nothing waits for a receiver, for a retry
 * or for another account.
 */
export class DeliveryPace {
  private readonly accounts = new BoundedMap<AccountId, AccountPace>(MAX_ACCOUNTS);

  constructor(private readonly clock: Clock) {}

  /** Notes a delivery that the dispatcher of this process was given. */
  accepted(accountId: AccountId): void {
    this.paceOf(accountId).ahead++;
  }

  /** Notes recorded outcomes. */
  recorded(outcomes: readonly RecordedAttempt[]): void {
    const now = this.clock.now();
    const recordedAt = this.clock.monotonic();
    for (const { accountId, attempt } of outcomes) {
      const pace = this.accounts.get(accountId);
      if (!pace) continue;
      const recordingMs = now - attempt.startedAt - attempt.durationMs;
      pace.ours += LATEST * (Number(recordingMs > attempt.durationMs) - pace.ours);
      pace.recordedAt = recordedAt;
      pace.ahead = Math.max(0, pace.ahead - 1);
      if (pace.ahead <= MOST_AHEAD) pace.caughtUp?.resolve();
    }
  }

  /** Resolves once the account may have further events accepted. Null: at once. */
  untilCaughtUp(accountId: AccountId): Promise<void> | null {
    const pace = this.accounts.get(accountId);
    if (!pace || pace.ahead <= MOST_AHEAD || pace.ours < 0.5) return null;
    const caughtUp = pace.caughtUp ?? Promise.withResolvers<void>();
    pace.caughtUp = caughtUp;
    const cancel = this.whenStalled(pace, () => {
      pace.ahead = 0;
      caughtUp.resolve();
    });
    return caughtUp.promise.finally(() => {
      cancel();
      pace.caughtUp = null;
    });
  }

  private whenStalled(pace: AccountPace, stalled: () => void): () => void {
    let cancel = () => {};
    const wait = (ms: number) => {
      cancel = this.clock.after(ms, () => {
        const leftMs = pace.recordedAt + STALLED_MS - this.clock.monotonic();
        if (leftMs > 0) wait(leftMs);
        else stalled();
      });
    };
    wait(STALLED_MS);
    return () => cancel();
  }

  private paceOf(accountId: AccountId): AccountPace {
    const known = this.accounts.get(accountId);
    if (known) return known;
    const pace = { ahead: 0, ours: 0, recordedAt: Number.NEGATIVE_INFINITY, caughtUp: null };
    this.accounts.set(accountId, pace);
    return pace;
  }
}
