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
    this.heap.push(entry);
    this.rise(this.heap.length - 1);
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
    if (last && this.heap.length > 0) {
      this.heap[0] = last;
      this.sink(0);
    }
  }

  private rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.isBefore(at, parent)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private sink(from: number): void {
    for (let at = from; ; ) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.heap.length && this.isBefore(child, first)) first = child;
      }
      if (first === at) return;
      this.swap(at, first);
      at = first;
    }
  }

  private isBefore(a: number, b: number): boolean {
    const [left, right] = [this.heap[a], this.heap[b]];
    if (!left || !right) return false;
    return left.time < right.time || (left.time === right.time && left.order < right.order);
  }

  private swap(a: number, b: number): void {
    const [left, right] = [this.heap[a], this.heap[b]];
    if (!left || !right) return;
    this.heap[a] = right;
    this.heap[b] = left;
  }
}
