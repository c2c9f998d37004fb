import { Group } from "./group";
import type { Publisher } from "./publisher";
import { type Delivery, insertDeliveries, type Sql } from "./rows";

/** Accepts deliveries: group commit, then publish, in the order of their numbers. */
export class Intake {
  private readonly sequences = new Map<string, number>();
  private readonly commits = new Group<Delivery>((rows) => this.commit(rows));
  /** Settles when all groups before have been published. */
  private published: Promise<void> = Promise.resolve();

  constructor(
    private readonly sql: Sql,
    private readonly publisher: Publisher,
  ) {}

  async accept(endpointId: string, data: string): Promise<Delivery> {
    const sequence = (this.sequences.get(endpointId) ?? 0) + 1;
    this.sequences.set(endpointId, sequence);
    const delivery = { id: Bun.randomUUIDv7(), endpointId, sequence, data };
    await this.commits.submit(delivery);
    return delivery;
  }

  // Two commits run side by side and may end in either order.
  private async commit(rows: Delivery[]): Promise<void> {
    const before = this.published;
    const own = Promise.withResolvers<void>();
    this.published = own.promise;
    try {
      await insertDeliveries(this.sql, rows);
      await before;
      for (const row of rows) this.publisher.publish(row);
    } finally {
      own.resolve();
    }
  }
}
