import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";

/** Time between two lines about answers with status 503. */
const LINE_EVERY_MS = 1_000;

/** Logs every answer with status 500, and one answer a second with status 503: an outage refuses all requests. */
export class FailureLog {
  private loggedAt = Number.NEGATIVE_INFINITY;
  private omitted = 0;

  constructor(private readonly options: Readonly<{ log: Log; clock: Pick<Clock, "monotonic"> }>) {}

  failed(details: object): void {
    this.options.log.error(details, "a request failed; answered 500");
  }

  unavailable(details: object): void {
    const { log, clock } = this.options;
    const now = clock.monotonic();
    if (now - this.loggedAt < LINE_EVERY_MS) {
      this.omitted++;
      return;
    }
    const { omitted } = this;
    [this.loggedAt, this.omitted] = [now, 0];
    log.warn({ ...details, ...(omitted > 0 && { omitted }) }, "could not serve a request; answered 503");
  }
}
