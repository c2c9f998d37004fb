import { Group } from "./group";
import type { Publisher } from "./publisher";
import { type Arrival, insertDeliveries, type Sql } from "./rows";

/** Accepts deliveries: group commit, then publish. The connection commits in order, so they are published in order. */
export class Intake {
  private readonly commits = new Group<Arrival>((arrivals) => this.commit(arrivals));

  constructor(
    private readonly sql: Sql,
    private readonly publisher: Publisher,
  ) {}

  async accept(endpointId: string, data: string): Promise<Arrival> {
    const arrival = { id: Bun.randomUUIDv7(), endpointId, data };
    await this.commits.submit(arrival);
    return arrival;
  }

  private async commit(arrivals: Arrival[]): Promise<void> {
    for (const delivery of await insertDeliveries(this.sql, arrivals)) this.publisher.publish(delivery);
  }
}
