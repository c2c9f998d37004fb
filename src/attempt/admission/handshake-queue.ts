import type { Clock } from "../../runtime/clock";
import { FairQueue } from "../../runtime/fair-queue";
import type { Claimant } from "./admission";

/** A handshake that can go on, since something came for it. */
export type Handshake = Readonly<{ claimant: Claimant; proceed(): void }>;

/** What handshakes may take of the thread in a row, milliseconds… */
export const IN_A_ROW_MS = 10;
/** …before they rest for this part of what they took. An ordinary one takes half a millisecond. */
const REST = 1 / 3;

/**
 * Shares out the time that TLS handshakes take of the one thread that does everything: a chain of certificates made for that
 * purpose takes a tenth of a second to check, and there may be thousands. After a few at a time all else has its turn, and
 * among those that wait meanwhile accounts take turns, what is known of their endpoints apart: so neither another account's
 * nor those that always take long are waited for.
 */
export class HandshakeQueue {
  private readonly waiting = new FairQueue<Handshake>({
    ownerOf: ({ claimant }) => `${claimant.account} ${claimant.speed}`,
    weigh: () => 1,
  });
  /** Lately, less what there was of rest; milliseconds. */
  private taken = 0;
  private lastAt = Number.NEGATIVE_INFINITY;
  private isResting = false;

  constructor(private readonly clock: Pick<Clock, "monotonic" | "after">) {}

  /** Has it proceed, now or in its turn. */
  take(handshake: Handshake): void {
    if (this.isResting) this.waiting.add(handshake);
    else this.proceed(handshake);
  }

  private proceed(handshake: Handshake): void {
    const began = this.clock.monotonic();
    handshake.proceed();
    const ended = this.clock.monotonic();
    const rested = (began - this.lastAt) / REST;
    this.taken = Math.max(0, this.taken - rested) + ended - began;
    this.lastAt = ended;
    if (this.taken >= IN_A_ROW_MS) this.rest();
  }

  private rest(): void {
    this.isResting = true;
    this.clock.after(this.taken * REST, () => this.goOn());
  }

  private goOn(): void {
    this.isResting = false;
    while (!this.isResting && this.waiting.size > 0) {
      for (const handshake of this.waiting.take(1, 1)) this.proceed(handshake);
    }
  }
}
