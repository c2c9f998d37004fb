import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import type { Refusal } from "./signer";

/** More refused messages than this in a second are a flood. */
export const MAX_PER_SECOND = 10;
const SECOND_MS = 1_000;
const WARN_EVERY_MS = 60_000;

/** How long a flooded subject is not listened to, milliseconds. */
export const FLOOD_REST_MS = 5_000;

/** Counts refused messages, and logs a warning once a minute, so that a stranger can't fill the log. */
export class Refusals {
  private second = { since: Number.NEGATIVE_INFINITY, count: 0 };
  private warnedAt = Number.NEGATIVE_INFINITY;
  private unwarned = 0;

  constructor(private readonly options: { clock: Pick<Clock, "monotonic">; log: Log }) {}

  /** Notes a refused message; true when there are so many that reading on would take time from deliveries. */
  note(subject: string, reason: Refusal): boolean {
    const now = this.options.clock.monotonic();
    this.warn(now, subject, reason);
    if (now - this.second.since >= SECOND_MS) this.second = { since: now, count: 0 };
    return ++this.second.count > MAX_PER_SECOND;
  }

  private warn(now: number, subject: string, reason: Refusal): void {
    this.unwarned++;
    if (now - this.warnedAt < WARN_EVERY_MS) return;
    const refused = this.unwarned;
    this.warnedAt = now;
    this.unwarned = 0;
    this.options.log.warn(
      { subject, reason, refused },
      "messages from NATS refused: this process did not act on them, and finds its deliveries in Postgres; " +
        "check who may publish, and that all processes have the same HERMOD_ENCRYPTION_KEY and the right time",
    );
  }
}
