import { describeError, type Log } from "./log";

/** Logs the start and the end of an outage once, however often the work is retried. */
export class Outage {
  /** Failures in a row. */
  private failures = 0;

  /** `warnAt`: the failure in a row that begins an outage. Earlier ones are logged at debug. */
  constructor(
    private readonly log: Log,
    private readonly words: Readonly<{ begun: string; over: string }>,
    private readonly warnAt = 1,
  ) {}

  failed(error: unknown): void {
    const level = ++this.failures === this.warnAt ? "warn" : "debug";
    this.log[level](describeError(error), this.words.begun);
  }

  worked(facts: object = {}): void {
    if (this.failures >= this.warnAt) this.log.info(facts, this.words.over);
    this.failures = 0;
  }
}
