import { drainMicrotasks } from "bun:jsc";

type Entry = { time: number; order: number; fire: (() => void) | null };

/**
 * Virtual time. Events happen one after another, each with everything that it sets off among promises before
 * the next: so a run is a plain function of its seed.
 */
export class Timeline {
  /** Milliseconds since the beginning, with fractions. */
  now = 0;
  private readonly heap: Entry[] = [];
  private order = 0;

  /** Calls `fire` at a time, at once when it has passed; the returned function cancels it. */
  at(time: number, fire: () => void): () => void {
    const entry: Entry = { time: Math.max(time, this.now), order: this.order++, fire };
    this.rise(entry);
    return () => {
      entry.fire = null;
    };
  }

  after(ms: number, fire: () => void): () => void {
    return this.at(this.now + ms, fire);
  }

  /** Lets events happen up to a time, or until `isDone`. */
  run(until: number, isDone: () => boolean = () => false): void {
    drainMicrotasks();
    while (!isDone()) {
      const next = this.heap[0];
      if (!next || next.time > until) break;
      this.takeFirst();
      if (next.fire === null) continue;
      this.now = next.time;
      next.fire();
      drainMicrotasks();
    }
    if (!isDone()) this.now = Math.max(this.now, until);
  }

  private takeFirst(): void {
    const last = this.heap.pop();
    if (last && this.heap.length > 0) this.sink(last);
  }

  /** Adds an entry, and moves those that come after it down. */
  private rise(entry: Entry): void {
    const { heap } = this;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up];
      if (!parent || isBefore(parent, entry)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = entry;
  }

  /** Puts an entry in the place of the first, and moves those that come before it up. */
  private sink(entry: Entry): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      const child = one && other && isBefore(other, one) ? other : one;
      if (!child || isBefore(entry, child)) break;
      heap[at] = child;
      at = child === one ? left : left + 1;
    }
    heap[at] = entry;
  }
}

function isBefore(left: Entry, right: Entry): boolean {
  return left.time < right.time || (left.time === right.time && left.order < right.order);
}
