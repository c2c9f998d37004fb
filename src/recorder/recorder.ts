import { type Database, DatabaseUnavailable } from "../db/database";
import { isRetryable } from "../db/pool";
import { Batcher } from "../runtime/batcher";
import { type Clock, sleep } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import type { Outcome, RecordAnswer } from "./outcome";
import { recordOutcomes } from "./record";

const MAX_BATCH = 500;
/**
 * Commits under way at once. Two share the outcomes out between them, wait for each other's flush to disk, and cost a
 * webhook more (measured: Postgres a tenth, the process a twentieth) than their running side by side brings.
 */
const MAX_COMMITS = 1;
/** The counters' slots of recorders: two that choose the same one wait for each other, no more. */
const FIRST_SLOT = 1;
const SLOTS = 8;
const RETRY_MS = { first: 50, most: 1_000 };

/** Thrown by `record` when the recorder was stopped before the outcome could be written. */
export class RecorderStopped extends Error {
  constructor() {
    super("the recorder was stopped");
    this.name = "RecorderStopped";
  }
}

export type RecorderOptions = {
  database: Database;
  clock: Clock;
  random(): number;
  log: Log;
  maxQueued: number;
};

/** Writes outcomes, many in one statement, and does not give up while Postgres is away. */
export class Recorder {
  private readonly batcher: Batcher<Outcome, RecordAnswer>;
  private readonly stopping = new AbortController();
  private readonly slot: number;

  constructor(private readonly options: RecorderOptions) {
    this.slot = FIRST_SLOT + Math.floor(options.random() * SLOTS);
    this.batcher = new Batcher({
      run: (outcomes) => this.write(outcomes),
      mayBeOneItem: (error) => !(error instanceof RecorderStopped),
      maxItems: MAX_BATCH,
      maxRunning: MAX_COMMITS,
      maxQueued: options.maxQueued,
    });
  }

  /** Resolves after the commit. Rejects only when stopped, or when Postgres refuses the outcome itself. */
  async record(outcome: Outcome): Promise<RecordAnswer> {
    return this.batcher.submit(outcome);
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
    const rows = await this.options.database.run((sql) => recordOutcomes(sql, outcomes, this.slot));
    const answers: RecordAnswer[] = outcomes.map(() => ({ applied: false }));
    for (const { index, revision } of rows) answers[index] = { applied: true, revision };
    return answers;
  }
}
