import type { Hint } from "../../stream/hint";

/**
 * Deliveries handed on in one turn of the event loop. Each may begin an attempt at once, some 60 us: all 10,000 of an event
 * would hold up everybody else for most of a second.
 */
const A_TURN = 32;

export type Announcement = Readonly<{ partition: number; message: Hint }>;

/** Hands accepted deliveries on, a few in each turn of the event loop. */
export class Announcements {
  private waiting: Announcement[] = [];
  private isAnnouncing = false;
  private announcing: Promise<void> = Promise.resolve();

  constructor(private readonly announce: (partition: number, message: Hint) => void) {}

  /** Hands the first of them on at once, unless others wait. */
  add(announcements: readonly Announcement[]): void {
    this.waiting = this.waiting.concat(announcements);
    if (!this.isAnnouncing) this.announcing = this.announceAll();
  }

  /** Resolves once all are handed on. */
  async made(): Promise<void> {
    await this.announcing;
  }

  private async announceAll(): Promise<void> {
    this.isAnnouncing = true;
    for (let at = 0; at < this.waiting.length; at += A_TURN) {
      if (at > 0) await new Promise(setImmediate);
      for (const { partition, message } of this.waiting.slice(at, at + A_TURN))
        this.announce(partition, message);
    }
    this.waiting = [];
    this.isAnnouncing = false;
  }
}
