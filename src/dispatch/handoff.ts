import { type DeliveryMessage, withinLimit } from "../stream/message";
import type { Registry } from "./registry";

export type HandoffOptions = Readonly<{
  registry: Registry;
  mayActOn(partition: number): boolean;
  /** Has something done in a while, but not at once. */
  soon(run: () => void): void;
}>;

/**
 * The short way from the intake to the actors of the same process, past the stream (measured: it saves a webhook a fifth
 * of what it costs). Like the stream it only tells: what gets lost here, the sweep finds.
 */
export class Handoff {
  private readonly taken: { partition: number; message: DeliveryMessage }[] = [];

  constructor(private readonly options: HandoffOptions) {}

  /** False when the partition is not ours to act on: others are to be told then. */
  take(partition: number, message: DeliveryMessage): boolean {
    const { registry, mayActOn, soon } = this.options;
    if (!mayActOn(partition) || !registry.isOpen(partition)) return false;
    this.taken.push({ partition, message: withinLimit(message) });
    // Those who sent have their answers first.
    if (this.taken.length === 1) soon(() => this.announce());
    return true;
  }

  private announce(): void {
    for (const { partition, message } of this.taken.splice(0)) {
      this.options.registry.announce(partition, message);
    }
  }
}
