import type { TransactionSql } from "../../db/pool";
import { type AccountId, type DeliveryId, type EndpointId, type EventId, newId } from "../../domain/ids";
import type { Clock } from "../../runtime/clock";
import type { DeliveryMessage } from "../../stream/message";
import { meterAt } from "../acceptance";
import type { UsageShard } from "../usage-shard";
import { acceptMissing, type MissingRow } from "./accept-missing";
import { acceptReplays, type ReplayRow } from "./accept-replays";

export type ReplaysOptions = {
  clock: Clock;
  /** Where accepted replays are counted. */
  shard: UsageShard;
  /** Told how many deliveries there are, after their commit… */
  onCounted?(deliveries: number): void;
  /** …and of what there is to dispatch. */
  onAccepted(partition: number, message: DeliveryMessage): void;
};

/** Takes deliveries that are to be sent again. */
export class Replays {
  constructor(private readonly options: ReplaysOptions) {}

  /** In a transaction of the caller's, who calls `announce` after its commit. */
  accept(
    sql: TransactionSql,
    { accountId, hops }: Readonly<{ accountId: AccountId; hops: number }>,
    sources: readonly DeliveryId[],
  ): Promise<ReplayRow[]> {
    const { clock, shard } = this.options;
    const replays = sources.map((source) => ({ id: newId("wh", hops), source }));
    return acceptReplays(sql, accountId, replays, meterAt(clock.now(), shard));
  }

  /** The same for events that an endpoint never got, in the order given. */
  acceptMissing(
    sql: TransactionSql,
    accountId: AccountId,
    endpointId: EndpointId,
    events: readonly EventId[],
  ): Promise<MissingRow[]> {
    const { clock, shard } = this.options;
    return acceptMissing(sql, { accountId, endpointId }, events, meterAt(clock.now(), shard));
  }

  /** The payloads are read from Postgres, where they are already. */
  announce(accountId: AccountId, rows: readonly (ReplayRow | MissingRow)[]): void {
    const queued = rows.flatMap((row) =>
      row.accepted && row.sequence !== null ? [{ ...row, sequence: row.sequence }] : [],
    );
    this.options.onCounted?.(queued.length);
    for (const { id, endpointId, event, orderingKey, partition, revision, sequence } of queued) {
      this.options.onAccepted(partition, {
        id,
        accountId,
        endpointId,
        sequence,
        event,
        orderingKey,
        eventExternalId: null,
        revision,
        data: null,
      });
    }
  }
}
