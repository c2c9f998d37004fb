import { type Database, DatabaseUnavailable } from "../db/database";
import { isRetryable } from "../db/pool";
import { Batcher } from "../runtime/batcher";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { Outcome, RecordAnswer } from "./outcome";
import { recordOutcomes } from "./record";

const MAX_BATCH = 500;
/**
 * Commits under way at once: one, and another when that one waits for a row that somebody has locked. If it began sooner
 * the two would share the outcomes out between them and wait for each other's flush to disk (measured: a webhook then
 * costs Postgres a tenth more).
 */
const MAX_COMMITS = 2;
const PATIENCE_MS = 100;
/**
 * How long a commit waits to be nearly as large as the one before, while cores are contended: endpoints whose outcomes were
 * recorded together make their next attempts together.
 */
const GATHER_MS = 10;
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
  maxQueued: number;
  /** See `RetryPolicy`. */
  disableAfterMs: number;
  /** Whether there is more work than cores: then commits are rather late than small. */
  isContended(): boolean;
  /** Told of every commit. */
  onRecorded?(outcomes: readonly Outcome[], answers: readonly RecordAnswer[]): void;
};

/** Writes outcomes, many in one statement, and does not give up while Postgres is away. */
export class Recorder {
  private readonly batcher: Batcher<Outcome, RecordAnswer>;
  private readonly stopping = new AbortController();

  constructor(private readonly options: RecorderOptions) {
    this.batcher = new Batcher({
      run: (outcomes) => this.write(outcomes),
      mayBeOneItem: (error) => !(error instanceof RecorderStopped),
      maxItems: MAX_BATCH,
      maxRunning: MAX_COMMITS,
      patience: { ms: PATIENCE_MS, clock: options.clock },
      gathering: { isOn: options.isContended, ms: GATHER_MS, clock: options.clock },
      maxQueued: options.maxQueued,
    });
  }

  /** Resolves after the commit. Rejects only when stopped, or when Postgres refuses the outcome itself. */
  record(outcome: Outcome): Promise<RecordAnswer> {
    return this.batcher.submit(outcome);
  }

  /** Outcomes that wait for a commit. */
  get queued(): number {
    return this.batcher.queued;
  }

  drained(): Promise<void> {
    return this.batcher.drained();
  }

  /** Gives up what could not be written; its attempts may be repeated. */
  stop(): void {
    this.stopping.abort();
  }

  private async write(outcomes: Outcome[]): Promise<RecordAnswer[]> {
    for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
      try {
        return await this.writeOnce(outcomes);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) && !isRetryable(error)) throw error;
        this.options.log.debug(describeError(error), "outcomes are written again");
        await sleep(this.options.clock, wait, this.stopping.signal);
        if (this.stopping.signal.aborted) throw new RecorderStopped();
      }
    }
  }

  private async writeOnce(outcomes: Outcome[]): Promise<RecordAnswer[]> {
    const { db, disableAfterMs } = this.options;
    const rows = await db.run((sql) => recordOutcomes(sql, outcomes, { disableAfterMs }));
    const answers: RecordAnswer[] = outcomes.map(() => ({ applied: false }));
    for (const { index, revision } of rows) answers[index] = { applied: true, revision };
    this.options.onRecorded?.(outcomes, answers);
    return answers;
  }
}
