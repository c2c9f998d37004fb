import { drainMicrotasks } from "bun:jsc";

type Entry = { time: number; order: number; fire: (() => void) | null };

/**
 * Simulates time. Runs each event to its end, promises included, before the next one, so that the seed alone decides a run.
 */
export class Timeline {
  /** Milliseconds since the beginning, with fractions. */
  now = 0;
  private readonly heap: Entry[] = [];
  private order = 0;

  /** Calls `fire` at a time, or at once if that has passed. The returned function cancels it. */
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

  /** Runs events up to a time, or until `isDone`. */
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

  /** Moves an entry up the heap, past those that come after it. */
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

  /** Moves an entry down the heap, past those that come before it. */
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
