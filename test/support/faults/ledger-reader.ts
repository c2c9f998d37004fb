import { type DeliveryId, type EndpointId, type EventId, toText } from "../../../src/domain/ids";
import type { DatabaseView } from "./database-view";
import type { AttemptRow, DeliveryRow, EndpointLimits, EventRow, Figures, Ledger } from "./ledger";

type Sql = DatabaseView["sql"];

type Row = Omit<DeliveryRow, "id" | "webhookId" | "event" | "endpoint" | "replayOf"> & {
  id: DeliveryId;
  event: EventId | null;
  externalId: string | null;
  endpoint: EndpointId;
  replayOf: DeliveryId | null;
};

/** Reads a run's rows from Postgres, past the service. */
export async function readLedger(sql: Sql, stats: Ledger["stats"]): Promise<Ledger> {
  const [queued] = await sql<{ count: number }[]>`select count(*)::float8 as count from queue`;
  const [used] = await sql<{ sum: number }[]>`select coalesce(sum(used), 0)::float8 as sum from usage`;
  return {
    deliveries: await readDeliveries(sql),
    events: await readEvents(sql),
    lastSequences: await readLastSequences(sql),
    limits: await readLimits(sql),
    queued: queued?.count ?? -1,
    counters: await readCounters(sql),
    stats,
    used: used?.sum ?? -1,
  };
}

async function readDeliveries(sql: Sql): Promise<DeliveryRow[]> {
  const rows = await sql<(Omit<Row, "attempts"> & { attempts: AttemptRow[] | null })[]>`
    select d.id, d.endpoint_id as endpoint, d.sequence::float8 as sequence, nullif(coalesce(d.data, v.data), '') as data,
      v.id as event, d.event_external_id as "externalId", d.replay_of as "replayOf",
      d.ordering_key as "orderingKey",
      coalesce(r.status, 'pending') as status,
      coalesce(r.attempt_count, q.attempt_count, 0) as "attemptCount",
      (extract(epoch from r.completed_at) * 1000)::float8 as "completedAt",
      case when r.duration_ms is null then (
        select json_agg(json_build_object('attempt', a.attempt, 'status', a.status, 'error', a.error, 'errorDetail', a.error_detail,
          'startedAt', (extract(epoch from a.started_at) * 1000)::float8, 'durationMs', a.duration_ms))
        from attempts a where a.delivery_id = d.id
      ) else json_build_array(json_build_object('attempt', 1, 'status', r.response_status, 'error', null, 'errorDetail', null,
        'startedAt', (extract(epoch from r.completed_at) * 1000)::float8 - r.duration_ms, 'durationMs', r.duration_ms))
      end as attempts
    from deliveries d
    left join results r on r.delivery_id = d.id
    left join queue q on q.delivery_id = d.id
    left join events v on v.account_id = d.account_id and v.id = (left(d.id::text, 32) || '0000')::uuid
  `;
  return rows.map(({ externalId, ...row }) => ({
    ...row,
    id: toText("wh", row.id),
    webhookId:
      externalId === null
        ? toText("wh", row.replayOf ?? row.id)
        : `${externalId}:${toText("ep", row.endpoint)}`,
    event: row.event && toText("evt", row.event),
    endpoint: toText("ep", row.endpoint),
    replayOf: row.replayOf && toText("wh", row.replayOf),
    attempts: row.attempts ?? [],
  }));
}

async function readEvents(sql: Sql): Promise<EventRow[]> {
  const rows = await sql<{ id: EventId; data: string | null }[]>`
    select id, nullif(data, '') as data from events order by id`;
  return rows.map(({ id, data }) => ({ id: toText("evt", id), data }));
}

async function readLastSequences(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ id: EndpointId; last: number }[]>`
    select endpoint_id as id, last_sequence::float8 as last from mailboxes`;
  return new Map(rows.map(({ id, last }) => [toText("ep", id), last]));
}

async function readLimits(sql: Sql): Promise<Map<string, EndpointLimits>> {
  const rows = await sql<(EndpointLimits & { id: EndpointId })[]>`
    select id, rate_limit as "rateLimit",
      ordering::text as ordering, case when ordering = 'ordered' then 1 else max_in_flight end as "maxInFlight"
    from endpoints`;
  return new Map(rows.map(({ id, ...limits }) => [toText("ep", id), limits]));
}

async function readCounters(sql: Sql): Promise<Figures> {
  const [sums] = await sql<Figures[]>`
    select coalesce(sum(accepted), 0)::float8 as total, coalesce(sum(delivered), 0)::float8 as delivered,
      coalesce(sum(failed), 0)::float8 as failed, coalesce(sum(cancelled), 0)::float8 as cancelled
    from (
      select accepted, delivered, failed, cancelled from counters
      union all
      select accepted, delivered, failed, cancelled from counter_deltas
    ) c`;
  if (!sums) throw new Error("a sum has one row");
  return sums;
}
