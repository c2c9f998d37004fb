import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";

/** Time between two lines about answers with the same status. */
const LINE_EVERY_MS = 1_000;

type FailureLogOptions = Readonly<{ log: Log; clock: Pick<Clock, "monotonic"> }>;

/** Logs one answer a second with status 500, and one with 503: an outage, or a fault, may meet all requests. */
export class FailureLog {
  private readonly failures: SampledLog;
  private readonly refusals: SampledLog;

  constructor(private readonly options: FailureLogOptions) {
    this.failures = new SampledLog(options.clock);
    this.refusals = new SampledLog(options.clock);
  }

  failed(details: object): void {
    const omitted = this.failures.next();
    if (omitted) this.options.log.error({ ...details, ...omitted }, "a request failed; answered 500");
  }

  unavailable(details: object): void {
    const omitted = this.refusals.next();
    if (omitted) this.options.log.warn({ ...details, ...omitted }, "could not serve a request; answered 503");
  }
}

/** Lets one line a second through. */
class SampledLog {
  private loggedAt = Number.NEGATIVE_INFINITY;
  private omitted = 0;

  constructor(private readonly clock: FailureLogOptions["clock"]) {}

  /** Returns the fields that say how many lines were omitted before this one; null if this one is omitted as well. */
  next(): { omitted?: number } | null {
    const now = this.clock.monotonic();
    if (now - this.loggedAt < LINE_EVERY_MS) {
      this.omitted++;
      return null;
    }
    const { omitted } = this;
    [this.loggedAt, this.omitted] = [now, 0];
    return omitted > 0 ? { omitted } : {};
  }
}
