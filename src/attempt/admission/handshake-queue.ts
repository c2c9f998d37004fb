import type { Clock } from "../../runtime/clock";
import { FairQueue } from "../../runtime/queues/fair-queue";
import type { Claimant } from "./admission";

/** A TLS handshake with waiting input. */
export type Handshake = Readonly<{ claimant: Claimant; proceed(): void }>;

/** Handshakes may take this many milliseconds in a row. */
export const IN_A_ROW_MS = 10;
/** Length of the pause after that, as a share of the time taken. An ordinary handshake takes half a millisecond. */
const PAUSE_SHARE = 1 / 3;

/**
 * Limits how much of the one thread TLS handshakes take. A hostile chain of certificates takes a tenth of a second to check,
 * and there may be thousands. After a few handshakes everything else runs; waiting handshakes go round-robin by account and
 * speed, so none waits for another account's, or for endpoints that always take long.
 */
export class HandshakeQueue {
  private readonly waiting = new FairQueue<Handshake>({
    ownerOf: ({ claimant }) => `${claimant.account} ${claimant.speed}`,
    weigh: () => 1,
  });
  /** Milliseconds that handshakes took lately, less the pauses. */
  private busyMs = 0;
  private lastAt = Number.NEGATIVE_INFINITY;
  private isPaused = false;

  constructor(private readonly clock: Pick<Clock, "monotonic" | "after">) {}

  /** Runs the handshake now, or queues it during a pause. */
  run(handshake: Handshake): void {
    if (this.isPaused) this.waiting.add(handshake);
    else this.proceed(handshake);
  }

  private proceed(handshake: Handshake): void {
    const began = this.clock.monotonic();
    handshake.proceed();
    const ended = this.clock.monotonic();
    const recoveredMs = (began - this.lastAt) / PAUSE_SHARE;
    this.busyMs = Math.max(0, this.busyMs - recoveredMs) + ended - began;
    this.lastAt = ended;
    if (this.busyMs >= IN_A_ROW_MS) this.pause();
  }

  private pause(): void {
    this.isPaused = true;
    this.clock.after(this.busyMs * PAUSE_SHARE, () => this.resume());
  }

  private resume(): void {
    this.isPaused = false;
    while (!this.isPaused && this.waiting.size > 0) {
      for (const handshake of this.waiting.take(1, 1)) this.proceed(handshake);
    }
  }
}
