import type { Hint } from "../../stream/hint";

/**
 * Deliveries announced in one turn of the event loop. Each may begin an attempt at once, which takes some 60 us: all 10,000
 * deliveries of an event would block the process for most of a second.
 */
const A_TURN = 32;

/** Announces accepted deliveries to dispatchers, a few in each turn of the event loop. */
export class Announcements {
  private waiting: Hint[] = [];
  private isAnnouncing = false;
  private announcing: Promise<void> = Promise.resolve();

  constructor(private readonly announce: (hint: Hint) => void) {}

  /** Announces the first of them at once, unless others wait. */
  add(hints: readonly Hint[]): void {
    this.waiting = this.waiting.concat(hints);
    if (!this.isAnnouncing) this.announcing = this.announceAll();
  }

  /** Resolves once all are announced. */
  async made(): Promise<void> {
    await this.announcing;
  }

  private async announceAll(): Promise<void> {
    this.isAnnouncing = true;
    for (let at = 0; at < this.waiting.length; at += A_TURN) {
      if (at > 0) await new Promise(setImmediate);
      for (const hint of this.waiting.slice(at, at + A_TURN)) this.announce(hint);
    }
    this.waiting = [];
    this.isAnnouncing = false;
  }
}
