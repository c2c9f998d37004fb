/**
 * Acknowledgements that leave together: nats.js writes to its socket once a microtask, and those of a batch
 * of outcomes come one microtask apart (measured: a write each, a tenth of a dispatcher's time).
 */
export class Acks {
  private waiting: (() => void)[] = [];

  add(ack: () => void): void {
    this.waiting.push(ack);
    if (this.waiting.length === 1) setImmediate(() => this.flush());
  }

  flush(): void {
    const acks = this.waiting;
    this.waiting = [];
    for (const ack of acks) ack();
  }
}
