import { type Database, isTemporary } from "../db/database";
import type { Outcome, Recorded } from "../domain/outcome";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Batcher } from "../runtime/queues/batcher";
import { recordOutcomes } from "./record";

/** Most outcomes in one commit. After it, each may begin its endpoint's next attempt in the same turn of the event loop. */
export const MAX_OUTCOMES = 100;
/** Most outcomes that wait for a commit. If Postgres is down, leases expire and end sending long before. */
const MAX_QUEUED = 1_000_000;
/**
 * Most concurrent commits. An ordered endpoint makes its next attempt only after its commit. With one commit at a time and few
 * endpoints, half of them would wait for the running commit, and intake would use the CPU time that this leaves.
 */
const MAX_COMMITS = 3;
/** A commit that takes longer is waiting for a row that a request has locked, so others may overtake it. */
const PATIENCE_MS = 100;
const RETRY_MS = { first: 50, most: 1_000 };

/** Thrown by `record` when the recorder was stopped before the outcome could be written. */
class RecorderStopped extends Error {
  constructor() {
    super("the recorder was stopped");
    this.name = "RecorderStopped";
  }
}

export type RecorderOptions = {
  db: Database;
  clock: Clock;
  log: Log;
  /** See `reasonToDisable`. */
  disableAfterMs: number;
  /** Called after every commit, with one answer per outcome. */
  onRecorded?: ((outcomes: readonly Outcome[], answers: readonly Recorded[]) => void) | undefined;
};

/** Writes outcomes, many in one statement. Tries again while Postgres is unreachable. */
export class Recorder {
  private readonly batcher: Batcher<Outcome, Recorded>;
  private readonly stopping = new AbortController();

  constructor(private readonly options: RecorderOptions) {
    this.batcher = new Batcher({
      run: (outcomes) => this.write(outcomes),
      mayBeOneItem: (error) => !(error instanceof RecorderStopped),
      maxItems: MAX_OUTCOMES,
      ownerOf: ({ accountId }) => accountId,
      maxRunning: MAX_COMMITS,
      inTurn: { patience: { ms: PATIENCE_MS, clock: options.clock } },
      maxQueued: MAX_QUEUED,
    });
  }

  /** Resolves after the commit. Rejects only when stopped, or when Postgres refuses the outcome itself. */
  record(outcome: Outcome): Promise<Recorded> {
    return this.batcher.submit(outcome);
  }

  /** Number of outcomes that wait for a commit. */
  get queued(): number {
    return this.batcher.queued;
  }

  /** Resolves once no outcome waits and no commit runs. */
  drained(): Promise<void> {
    return this.batcher.drained();
  }

  /** Discards outcomes that are not written yet. Their attempts may be repeated. */
  stop(): void {
    this.stopping.abort();
  }

  private async write(outcomes: Outcome[]): Promise<Recorded[]> {
    for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
      try {
        return await this.writeOnce(outcomes);
      } catch (error) {
        if (!isTemporary(error)) throw error;
        this.options.log.debug(describeError(error), "could not record outcomes; recording them again");
        await sleep(this.options.clock, wait, this.stopping.signal);
        if (this.stopping.signal.aborted) throw new RecorderStopped();
      }
    }
  }

  private async writeOnce(outcomes: Outcome[]): Promise<Recorded[]> {
    const { db, disableAfterMs } = this.options;
    const answers = await db.run((sql) => recordOutcomes(sql, outcomes, disableAfterMs));
    this.options.onRecorded?.(outcomes, answers);
    return answers;
  }
}
