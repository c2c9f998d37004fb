import { type DeliveryMessage, withinLimit } from "../stream/message";
import type { Registry } from "./registry";

export type HintBufferOptions = Readonly<{
  registry: Pick<Registry, "announce">;
  /** Runs later, though within milliseconds. */
  soon(run: () => void): void;
}>;

type Hint = { partition: number; message: DeliveryMessage };

/**
 * Collects accepted deliveries for a moment and passes them to their actors in sequence. They come from the stream and
 * from this process's intake, and one way is slower than the other. An actor that misses a sequence must read it from
 * Postgres. The sweep finds whatever is lost here.
 */
export class HintBuffer {
  private readonly arrived: Hint[] = [];

  constructor(private readonly options: HintBufferOptions) {}

  add(partition: number, message: DeliveryMessage): void {
    this.arrived.push({ partition, message: withinLimit(message) });
    // Clients get their answers first.
    if (this.arrived.length === 1) this.options.soon(() => this.announce());
  }

  private announce(): void {
    const inOrder = this.arrived.splice(0).sort((a, b) => a.message.sequence - b.message.sequence);
    for (const { partition, message } of inOrder) this.options.registry.announce(partition, message);
  }
}
