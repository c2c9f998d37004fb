import type { TransactionSql } from "../../db/pool";
import { type AccountId, type DeliveryId, type EndpointId, type EventId, newId } from "../../domain/ids";
import type { Clock } from "../../runtime/clock";
import type { Hint } from "../../stream/hint";
import { type UsageShard, usageKeyAt } from "../usage";
import { acceptMissing, acceptReplays, type MissingRow, type ReplayRow } from "./accept-replays";

export type ReplaysOptions = {
  clock: Clock;
  /** The shard that counts accepted replays. */
  shard: UsageShard;
  /** Called after a commit with the number of deliveries… */
  onCounted?(deliveries: number): void;
  /** …and with each delivery to dispatch. */
  onAccepted(hint: Hint): void;
};

/** Accepts resends, and events that an endpoint missed. */
export class Replays {
  constructor(private readonly options: ReplaysOptions) {}

  /** Accepts in the caller's transaction. The caller calls `announce` after its commit. */
  accept(
    sql: TransactionSql,
    { accountId, hops }: Readonly<{ accountId: AccountId; hops: number }>,
    sources: readonly DeliveryId[],
    atOriginOnly = false,
  ): Promise<ReplayRow[]> {
    const { clock, shard } = this.options;
    const replays = sources.map((source) => ({ id: newId("wh", hops), source }));
    return acceptReplays(sql, accountId, replays, usageKeyAt(clock.now(), shard), atOriginOnly);
  }

  /** Does the same for events that an endpoint missed, in the order given. */
  acceptMissing(
    sql: TransactionSql,
    accountId: AccountId,
    endpointId: EndpointId,
    events: readonly EventId[],
  ): Promise<MissingRow[]> {
    const { clock, shard } = this.options;
    return acceptMissing(sql, { accountId, endpointId }, events, usageKeyAt(clock.now(), shard));
  }

  /** Announces the accepted deliveries to dispatchers, which read the payloads from Postgres. */
  announce(accountId: AccountId, rows: readonly (ReplayRow | MissingRow)[]): void {
    const queued = rows.flatMap((row) =>
      row.accepted && row.sequence !== null ? [{ ...row, sequence: row.sequence }] : [],
    );
    this.options.onCounted?.(queued.length);
    for (const { id, endpointId, event, orderingKey, partition, revision, sequence } of queued) {
      this.options.onAccepted({
        id,
        accountId,
        endpointId,
        partition,
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
