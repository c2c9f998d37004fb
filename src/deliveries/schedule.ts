import { LOCKS, tryLock } from "../db/advisory-locks";
import { type Database, untilNoDeadlock } from "../db/database";
import type { AnySql, Fragment, TransactionSql } from "../db/pool";
import { type QueueKey, SCHEDULED } from "../domain/partition";
import type { Clock } from "../runtime/clock";
import { describeError, type Log } from "../runtime/log";
import { Loop } from "../runtime/loop";

/** Most deliveries that one statement starts. */
const AT_ONCE = 500;
const EVERY_MS = 500;
const AGAIN_MS = 1_000;

/** Starts scheduled deliveries that are due, in one process at a time. Calls `notifyChange` for each queue that grew. */
export function startingScheduled({
  db,
  clock,
  log,
  notifyChange,
}: {
  db: Database;
  clock: Clock;
  log: Log;
  notifyChange(queue: QueueKey): void;
}): Loop {
  return new Loop({
    clock,
    round: async () => {
      const queues = await untilNoDeadlock(() => db.transaction(startDue));
      for (const queue of new Map(queues.map((each) => [each.endpointId, each])).values())
        notifyChange(queue);
      return queues.length < AT_ONCE ? EVERY_MS : 0;
    },
    failed: (error) => {
      log.debug(describeError(error), "could not start scheduled deliveries; trying again in 1 s");
      return AGAIN_MS;
    },
  });
}

/**
 * Gives due scheduled deliveries the next sequences of their endpoints. Before that they belong to no order, so no delivery waits
 * for them, and no dispatcher sees them. Deliveries that are due at the same time start in the order in which they were accepted.
 * Returns the queue of each; none while another process starts deliveries, which may have taken the first ones.
 */
// The partition is a literal, so that every plan can use the index of scheduled deliveries. Waits for locked rows, since a
// retry or a cancellation may leave them in the queue. Locks in the order of the key, like all statements.
export async function startDue(sql: TransactionSql): Promise<QueueKey[]> {
  if (!(await tryLock(sql, LOCKS.schedule))) return [];
  const partition = sql.unsafe(`${SCHEDULED}`);
  return start(
    sql,
    sql`
      select q.endpoint_id, q.sequence
      from (
        select endpoint_id, sequence from queue
        where partition = ${partition} and next_attempt_at <= now()
        order by next_attempt_at, sequence limit ${AT_ONCE}
      ) d
      join queue q on q.partition = ${partition} and q.endpoint_id = d.endpoint_id and q.sequence = d.sequence
      order by q.endpoint_id, q.sequence
      for update of q
    `,
  );
}

/** Starts one scheduled delivery now. Its row is locked already. */
export async function startNow(sql: AnySql, endpointId: string, sequence: number): Promise<QueueKey | null> {
  const [queue] = await start(
    sql,
    sql`select ${endpointId}::uuid as endpoint_id, ${sequence}::bigint as sequence`,
  );
  return queue ?? null;
}

// Locks mailboxes in the order of their ids, like all statements, and gives sequences under these locks.
function start(sql: AnySql, due: Fragment): Promise<QueueKey[]> {
  return sql<QueueKey[]>`
    with due as materialized (${due}),
    boxes as materialized (
      select m.endpoint_id, m.partition, m.last_sequence from mailboxes m
      where m.endpoint_id in (select endpoint_id from due)
      order by m.endpoint_id for update of m
    ),
    placed as materialized (
      select b.endpoint_id, b.partition, q.sequence as number, q.account_id, q.delivery_id,
        b.last_sequence + row_number() over (partition by b.endpoint_id order by q.next_attempt_at, q.sequence) as sequence
      from due d
      join boxes b on b.endpoint_id = d.endpoint_id
      join queue q on q.partition = ${SCHEDULED} and q.endpoint_id = d.endpoint_id and q.sequence = d.sequence
    ),
    numbered as (
      update mailboxes m set last_sequence = p.last
      from (select endpoint_id, max(sequence) as last from placed group by 1) p
      where m.endpoint_id = p.endpoint_id
    ),
    shown as (
      update deliveries d set sequence = p.sequence, is_numbered_later = true from placed p
      where d.account_id = p.account_id and d.id = p.delivery_id
    )
    update queue q set partition = p.partition, sequence = p.sequence, next_attempt_at = null
    from placed p
    where q.partition = ${SCHEDULED} and q.endpoint_id = p.endpoint_id and q.sequence = p.number
    returning q.partition, q.endpoint_id as "endpointId"
  `;
}
