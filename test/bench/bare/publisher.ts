import { createInbox, type NatsConnection } from "nats";
import type { Delivery } from "./rows";
import { encode, partitionOf, subjectOf } from "./stream";

/** Publishes to the stream. Every message is acknowledged; a message that is not stored ends the process. */
export class Publisher {
  private readonly inbox = createInbox();
  private unanswered = 0;

  // Uses one subscription for all answers: a request for each costs as much as the rest of the publish.
  constructor(private readonly nats: NatsConnection) {
    nats.subscribe(this.inbox, {
      callback: (error, answer) => {
        if (error || answer.string().includes('"error"')) this.fail(error?.message ?? answer.string());
        this.unanswered--;
      },
    });
  }

  publish(delivery: Delivery): void {
    this.unanswered++;
    const subject = subjectOf(partitionOf(delivery.endpointId));
    this.nats.publish(subject, encode(delivery), { reply: this.inbox });
  }

  /** Resolves once everything is stored. */
  async drained(): Promise<void> {
    while (this.unanswered > 0) await Bun.sleep(5);
  }

  private fail(reason: string): never {
    console.error("a message was not stored:", reason);
    process.exit(1);
  }
}
