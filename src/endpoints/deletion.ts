import { type Database, isTemporary, untilNoDeadlock } from "../db/database";
import type { Sql } from "../db/pool";
import { cancelLocked } from "../deliveries/cancellation";
import type { AccountId, EndpointId } from "../domain/ids";
import { type QueueKey, SCHEDULED } from "../domain/partition";
import { codeOf } from "../domain/tally";
import { systemClock } from "../runtime/clock";

/** A deletion cancels deliveries for this long, and then leaves the rest to `runLeftovers`. */
const CANCEL_TIME_MS = 5_000;
/** Most deletions that one call of `runLeftovers` continues, and its time limit. */
const MAX_LEFTOVERS = 100;
const LEFTOVERS_TIME_MS = 1_000;

/**
 * Deletes an endpoint. One statement ends the intake of its deliveries; then its pending deliveries are cancelled. Its secrets
 * and its receivers' keys are removed last, so they mark an unfinished deletion. The keys stop working at once.
 */
export class Deletion {
  constructor(
    private readonly db: Database,
    private readonly partitionOf: (id: EndpointId) => number,
    private readonly onChanged: (queue: QueueKey) => void,
  ) {}

  /** Resolves to false if the account has no such endpoint. Throws `DatabaseUnavailable`. */
  async run(accountId: AccountId, id: EndpointId): Promise<boolean> {
    const deleted = await untilNoDeadlock(() => this.db.run((sql) => markDeleted(sql, accountId, id)));
    if (!deleted) return false;
    this.onChanged({ partition: this.partitionOf(id), endpointId: id });
    try {
      await this.finish(id, systemClock.monotonic() + CANCEL_TIME_MS);
    } catch (error) {
      // The endpoint is deleted. `runLeftovers` cancels its pending deliveries when Postgres is back.
      if (!isTemporary(error)) throw error;
    }
    return true;
  }

  /** Continues deletions that were interrupted, or had too much to cancel. Throws `DatabaseUnavailable`. */
  async runLeftovers(): Promise<void> {
    const stopAt = systemClock.monotonic() + LEFTOVERS_TIME_MS;
    const leftovers = await this.db.run((sql) => findUnfinished(sql));
    for (const { id } of leftovers) {
      const isFinished = await this.finish(id, stopAt);
      if (!isFinished) return;
    }
  }

  private async finish(endpointId: EndpointId, stopAt: number): Promise<boolean> {
    const queue = { partition: this.partitionOf(endpointId), endpointId };
    const isEmpty = await cancelQueue(this.db, queue, () => systemClock.monotonic() >= stopAt);
    // The endpoint gets no new deliveries, so an empty queue stays empty.
    if (isEmpty) {
      await this.db.run((sql) => forgetSecrets(sql, endpointId));
    }
    return isEmpty;
  }
}

// Locks the mailbox, which waits until every earlier send has committed. Later sends find no mailbox.
async function markDeleted(sql: Sql, accountId: AccountId, id: EndpointId): Promise<boolean> {
  const rows = await sql`
    with deleted as (
      update endpoints set deleted_at = now()
      where id = ${id} and account_id = ${accountId} and deleted_at is null
      returning id
    ),
    closed as (
      delete from mailboxes m using deleted d where m.endpoint_id = d.id returning m.endpoint_id, m.last_sequence
    ),
    -- Tallies the deliveries accepted since the last fold, which reads mailboxes.
    tallied as (
      insert into tallies (endpoint_ids, codes, counts)
      select array[endpoint_id], array[${codeOf("lastSequence")}::integer], array[last_sequence] from closed
    )
    select id from deleted
  `;
  return rows.length > 0;
}

function forgetSecrets(sql: Sql, id: EndpointId): Promise<unknown> {
  return sql`
    with receivers as (delete from api_keys where endpoint_id = ${id}),
    handed_out as (delete from pulls where endpoint_id = ${id})
    update endpoints set signing_secret = '', earlier_secrets = null, headers = null where id = ${id}
  `;
}

function findUnfinished(sql: Sql): Promise<{ id: EndpointId }[]> {
  return sql<{ id: EndpointId }[]>`
    select id from endpoints
    where deleted_at is not null and signing_secret <> ''
    order by id
    limit ${MAX_LEFTOVERS}
  `;
}

/** Most deliveries that one statement cancels. */
export const CHUNK_ROWS = 2_000;

/**
 * Cancels a deleted endpoint's queue, chunk by chunk, until it is empty or the time is over. Resolves to true if it is empty.
 * Throws `DatabaseUnavailable`.
 */
export async function cancelQueue(
  db: Database,
  queue: QueueKey,
  isTimeOver: () => boolean,
): Promise<boolean> {
  for (;;) {
    const cancelled = await untilNoDeadlock(() => db.run((sql) => cancelChunk(sql, queue)));
    if (cancelled < CHUNK_ROWS) return true;
    if (isTimeOver()) return false;
  }
}

// Safe beside the recorder: if both end a delivery at the same moment, one of them finds it gone.
async function cancelChunk(sql: Sql, { partition, endpointId }: QueueKey): Promise<number> {
  const [row] = await sql<{ cancelled: number }[]>`
    with doomed as materialized (
      select partition, endpoint_id, sequence from queue
      where partition in (${SCHEDULED}, ${partition}) and endpoint_id = ${endpointId}
      order by partition, sequence limit ${CHUNK_ROWS}
      for update
    ),
    ${cancelLocked(sql, "endpoint_deleted")}
    select count(*) as cancelled from gone
  `;
  return row?.cancelled ?? 0;
}
