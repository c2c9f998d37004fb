import type { Database } from "../../src/db/database";
import type { TransactionSql } from "../../src/db/pool";
import type { DeliveryStatus, EndReason } from "../../src/domain/delivery-status";
import { type AccountId, type DeliveryId, type EndpointId, leastIdAt, newId } from "../../src/domain/ids";

export type Accepted = { id: DeliveryId; accountId: AccountId; endpointId: EndpointId; event: string | null };

export type Ending = {
  status: Exclude<DeliveryStatus, "pending">;
  attemptCount?: number;
  responseStatus?: number | null;
  endReason?: EndReason;
  /** Of a success at the first attempt. */
  durationMs?: number | null;
};

const PARTITION = 0;
/** Of the totals of what is accepted; the service's own are below it. */
let sequence = 0;

/** Writes deliveries as the intake and the recorder do, without running either. */
export class Ledger {
  constructor(private readonly db: Database) {}

  async account(): Promise<AccountId> {
    const id = newId("acc");
    await this.db.run((sql) => sql`insert into accounts (id, name, plan) values (${id}, 'a test', 'free')`);
    return id;
  }

  async endpoint(accountId: AccountId): Promise<EndpointId> {
    const id = newId("ep");
    await this.db.transaction(async (sql) => {
      await sql`
        insert into endpoints (id, account_id, url, signing_secret)
        values (${id}, ${accountId}, 'https://example.com', 'sealed')
      `;
      await sql`insert into mailboxes (endpoint_id, partition) values (${id}, ${PARTITION})`;
    });
    return id;
  }

  async accept(
    accountId: AccountId,
    endpointId: EndpointId,
    event: string | null,
    id = newId("wh"),
    data = "{}",
  ): Promise<Accepted> {
    const delivery = { id, accountId, endpointId, event };
    await this.db.transaction((sql) => insertDelivery(sql, delivery, data));
    return delivery;
  }

  async end({ id, accountId, endpointId, event }: Accepted, ending: Ending): Promise<void> {
    const { status, attemptCount = 1, responseStatus = 200, endReason = null, durationMs = null } = ending;
    await this.db.transaction(async (sql) => {
      await sql`delete from queue where delivery_id = ${id}`;
      await sql`
        insert into results
          (delivery_id, account_id, endpoint_id, status, attempt_count, response_status, end_reason, completed_at, duration_ms)
        values (${id}, ${accountId}, ${endpointId}, ${status}, ${attemptCount}, ${responseStatus}, ${endReason}, now(), ${durationMs})
      `;
      await sql`
        insert into counters as c (account_id, event, ${sql(status)}) values (${accountId}, ${event ?? ""}, 1)
        on conflict (account_id, event) do update set ${sql(status)} = c.${sql(status)} + 1
      `;
      await sql`
        insert into totals as t (account_id, ${sql(status)}) values (${accountId}, 1)
        on conflict (account_id) do update set ${sql(status)} = t.${sql(status)} + 1
      `;
    });
  }
}

/** Inserts an accepted delivery, in the caller's transaction. */
export async function insertDelivery(sql: TransactionSql, delivery: Accepted, data = "{}"): Promise<void> {
  const { id, accountId, endpointId, event } = delivery;
  // Others continue while this one waits.
  const number = ++sequence;
  await sql`
    insert into deliveries (id, account_id, endpoint_id, transaction, sequence, event, data)
    select ${id}, a.id, ${endpointId}, stamp(a.era, pg_current_xact_id()), ${number}, ${event}, ${data}
    from accounts a where a.id = ${accountId}
  `;
  await sql`
    insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
    values (${PARTITION}, ${endpointId}, ${number}, ${id}, ${accountId})
  `;
  await sql`update mailboxes set last_sequence = last_sequence + 1 where endpoint_id = ${endpointId}`;
  // Uses deltas instead of counters, since several transactions are open at once.
  await sql`insert into counter_deltas (account_id, event, accepted) values (${accountId}, ${event ?? ""}, 1)`;
}

/** Returns an identifier of a delivery created at that time in Unix milliseconds. */
export function idAt(ms: number): DeliveryId {
  return (leastIdAt(ms).slice(0, 14) + newId("wh").slice(14)) as DeliveryId;
}
