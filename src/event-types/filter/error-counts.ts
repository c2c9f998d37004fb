import { type Database, untilNoDeadlock } from "../../db/database";
import type { AnySql } from "../../db/pool";
import { arrayOf, plainArrayOf } from "../../db/sql/arrays";
import type { FilterErrors, Filtered } from "../../domain/health";
import type { DeliveryId, EndpointId, EventId } from "../../domain/ids";
import type { Clock } from "../../runtime/clock";
import { describeError, type Log } from "../../runtime/log";
import { Loop } from "../../runtime/loop";
import type { FailedFilter } from "../payload-gate";

/** Errors are written this often. A process that is killed loses the errors of this time. */
export const WRITE_EVERY_MS = 5_000;
/** Most endpoints whose errors a process keeps until it writes them. Errors of further endpoints are not counted. */
export const MOST_KEPT = 1_000;

type KeptErrors = FilterErrors & { filter: string };

/** Counts the events that filters excluded because of an error, and writes the counts to the endpoints' health. */
export class FilterErrorCounts {
  private kept = new Map<EndpointId, KeptErrors>();
  private readonly loop: Loop;

  constructor(private readonly options: { db: Database; clock: Clock; log: Log }) {
    this.loop = new Loop({
      clock: options.clock,
      round: async () => {
        await this.write();
        return WRITE_EVERY_MS;
      },
      failed: (error) => this.failed(error),
    });
  }

  start(): Promise<void> {
    return this.loop.start();
  }

  /** Writes the last counts. */
  async close(): Promise<void> {
    await this.loop.stop();
    await this.write().catch((error) => this.failed(error));
  }

  /** Counts an accepted event for each filter that failed. Does no I/O. */
  note(failed: readonly FailedFilter[], excluded: Filtered): void {
    const at = this.options.clock.now();
    for (const { endpointId, filter, error } of failed)
      add(this.kept, endpointId, { filter, since: at, count: 1, last: { at, error, ...excluded } });
  }

  /** Writes what was counted since the last call. Counts that could not be written stay for the next call. */
  async write(): Promise<void> {
    if (this.kept.size === 0) return;
    const counted = this.kept;
    this.kept = new Map();
    try {
      await untilNoDeadlock(() => this.options.db.run((sql) => addErrors(sql, counted)));
    } catch (error) {
      for (const [id, later] of this.kept) add(counted, id, later);
      this.kept = counted;
      throw error;
    }
  }

  private failed(error: unknown): number {
    this.options.log.debug(describeError(error), "could not write the errors of filters");
    return WRITE_EVERY_MS;
  }
}

function add(kept: Map<EndpointId, KeptErrors>, id: EndpointId, errors: KeptErrors): void {
  const before = kept.get(id);
  if (!before && kept.size >= MOST_KEPT) return;
  const isSame = before?.filter === errors.filter;
  kept.set(id, isSame ? { ...errors, since: before.since, count: before.count + errors.count } : errors);
}

/** Adds to the counts of endpoints that still have the same filter. Leaves out errors of payloads that are erased. */
async function addErrors(sql: AnySql, counted: ReadonlyMap<EndpointId, KeptErrors>): Promise<void> {
  const errors = [...counted.values()];
  const idOf = ({ last }: KeptErrors): EventId | DeliveryId | null => last.eventId ?? last.deliveryId;
  await sql`
    with noted as (
      select * from unnest(
        ${plainArrayOf([...counted.keys()])}::uuid[], ${arrayOf(errors.map(({ filter }) => filter))}::text[],
        ${plainArrayOf(errors.map(({ since }) => since))}::bigint[], ${plainArrayOf(errors.map(({ count }) => count))}::bigint[],
        ${arrayOf(errors.map(({ last }) => JSON.stringify(last)))}::text[], ${arrayOf(errors.map(idOf))}::uuid[]
      ) as n(id, filter, since, count, last, excluded)
    ),
    locked as materialized (
      select e.id from endpoints e join noted n on n.id = e.id order by e.id for no key update of e
    )
    update endpoints e
    set filter_errors = jsonb_build_object(
      'since', coalesce((e.filter_errors->>'since')::bigint, n.since),
      'count', coalesce((e.filter_errors->>'count')::bigint, 0) + n.count,
      'last', n.last::jsonb
    )
    from noted n join locked l on l.id = n.id
    where e.id = n.id and e.filter = n.filter and e.deleted_at is null
      and not exists (select from erasures x where x.delivery_id = n.excluded)
  `;
}

/** Deletes errors of payloads that expired before this time, in Unix milliseconds. */
export async function deleteExpiredErrors(db: Database, before: number): Promise<void> {
  await db.run(
    (sql) => sql`
      update endpoints set filter_errors = null
      where filter_errors is not null and (filter_errors->'last'->>'at')::bigint < ${before}
    `,
  );
}
