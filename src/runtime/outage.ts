import { describeError, type Log } from "./log";

/** Logs the start and the end of an outage once, however often the work is retried. */
export class Outage {
  private lasts = false;

  constructor(
    private readonly log: Log,
    private readonly words: Readonly<{ begun: string; over: string }>,
  ) {}

  failed(error: unknown): void {
    this.log[this.lasts ? "debug" : "warn"](describeError(error), this.words.begun);
    this.lasts = true;
  }

  worked(facts: object = {}): void {
    if (this.lasts) this.log.info(facts, this.words.over);
    this.lasts = false;
  }
}
