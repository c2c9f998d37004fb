import type { Database } from "../db/database";
import type { Fragment, Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { countsOf } from "../deliveries/counts";
import type { AccountId, EndpointId } from "../domain/ids";
import { SCHEDULED } from "../domain/partition";
import { codeOf, ENDED_KINDS, KIND_COUNT } from "../domain/tally";
import { type Counted, type Figures, figuresOf, growthIn } from "./figures";
import { EVERYTHING } from "./fold";

/** The subject of figures: an endpoint, an account or the whole installation. */
export type Subject =
  | { of: "endpoint"; id: EndpointId }
  | { of: "account"; id: AccountId }
  | { of: "everything" };

/** From `fromMs` to `toMs` in steps, all Unix milliseconds and multiples of the step. */
export type SeriesRange = Readonly<{ fromMs: number; toMs: number; stepMs: number }>;

/** The figures of a step. `backlog` is the number of deliveries pending at its end, without those scheduled for later. */
export type StepFigures = Figures & { atMs: number; backlog: number };

/** `atMs` is the start of the step, or the end of the range for later facts. If it is null, `n` is the backlog now. */
type FactRow = { atMs: number | null; code: number; n: number };

/** Reads figures over time: exact, with the present minute. Throws `DatabaseUnavailable`. */
export class Series {
  constructor(private readonly db: Database) {}

  async read(subject: Subject, range: SeriesRange): Promise<StepFigures[]> {
    const rows = await this.db.run((sql) => selectRows(sql, subject, range));
    const counted = Map.groupBy(rows, ({ atMs }) => atMs);
    const pending = counted.get(null)?.[0]?.n ?? 0;
    return pointsOf(counted, pending, range);
  }

  /**
   * Reads the 99th percentile of the receivers' times over the last hour, without the present minute, in milliseconds. Omits
   * endpoints without answers.
   */
  async usualTimes(ids: readonly EndpointId[]): Promise<Map<EndpointId, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db.run(
      (sql) => sql<(Counted & { id: EndpointId })[]>`
        select s.subject as id, u.code, sum(u.n)::float8 as n
        from series s cross join lateral unnest(s.codes, s.counts) as u(code, n)
        where s.subject = any(${arrayOf(ids)}::uuid[]) and s.at >= now() - interval '1 hour'
        group by 1, 2
      `,
    );
    const times = [...Map.groupBy(rows, ({ id }) => id)].map(
      ([id, counted]) => [id, figuresOf(counted).receiverMs?.p99 ?? 0] as const,
    );
    return new Map(times);
  }
}

/** Makes the points, backwards in time from the backlog of now. */
function pointsOf(
  counted: ReadonlyMap<number | null, readonly Counted[]>,
  pending: number,
  { fromMs, toMs, stepMs }: SeriesRange,
): StepFigures[] {
  const points: StepFigures[] = [];
  let backlog = pending - growthIn(figuresOf(counted.get(toMs) ?? []));
  for (let atMs = toMs - stepMs; atMs >= fromMs; atMs -= stepMs) {
    const figures = figuresOf(counted.get(atMs) ?? []);
    points.push({ atMs, ...figures, backlog });
    backlog -= growthIn(figures);
  }
  return points.reverse();
}

// One statement, so that each tally is in exactly one place: in a row of the series, or not folded yet.
function selectRows(sql: Sql, subject: Subject, { fromMs, toMs, stepMs }: SeriesRange): Promise<FactRow[]> {
  const step = (at: string) => sql`
    least(floor(extract(epoch from ${sql.unsafe(at)}) * 1000 / ${stepMs}::float8) * ${stepMs}::float8, ${toMs}::float8)
  `;
  const id = subject.of === "everything" ? EVERYTHING : subject.id;
  return sql<FactRow[]>`
    with fresh as materialized (
      select t.at, u.endpoint_id, u.code, coalesce(u.n, 1) as n
      from tallies t cross join lateral unnest(t.endpoint_ids, t.codes, t.counts) as u(endpoint_id, code, n)
      where ${isOf(sql, subject)}
    ),
    grown as (
      select l.endpoint_id, max(l.last_sequence) - coalesce(max(p.accepted), 0) as n
      from (
        ${mailboxesOf(sql, subject)}
        union all
        select endpoint_id, n from fresh where code = ${codeOf("lastSequence")}
      ) l
      left join series_positions p on p.endpoint_id = l.endpoint_id
      where l.last_sequence > coalesce(p.accepted, 0)
      group by 1
    ),
    facts as (
      select ${step("s.at")} as "atMs", u.code, u.n::bigint as n
      from series s cross join lateral unnest(s.codes, s.counts) as u(code, n)
      where s.subject = ${id}::uuid and s.at >= to_timestamp(${fromMs}::float8 / 1000)
      union all
      select ${step("f.at")}, f.code, f.n from fresh f
      where f.code <> ${codeOf("lastSequence")} and f.at >= to_timestamp(${fromMs}::float8 / 1000)
      union all
      select ${step("now()")}, ${codeOf("accepted")}, g.n from grown g
    )
    select "atMs", code, sum(n)::float8 as n from facts group by 1, 2
    union all
    select null, 0, (${pendingOf(sql, subject)})::float8
  `;
}

/** SQL: true if the fresh tally `u` belongs to the subject. */
function isOf(sql: Sql, subject: Subject): Fragment {
  switch (subject.of) {
    case "endpoint":
      return sql`u.endpoint_id = ${subject.id}`;
    case "account":
      return sql`exists (select from endpoints e where e.id = u.endpoint_id and e.account_id = ${subject.id})`;
    case "everything":
      return sql`true`;
  }
}

function mailboxesOf(sql: Sql, subject: Subject): Fragment {
  switch (subject.of) {
    case "endpoint":
      return sql`select endpoint_id, last_sequence from mailboxes where endpoint_id = ${subject.id}`;
    case "account":
      return sql`
        select m.endpoint_id, m.last_sequence
        from endpoints e join mailboxes m on m.endpoint_id = e.id
        where e.account_id = ${subject.id} and e.deleted_at is null
      `;
    case "everything":
      return sql`select endpoint_id, last_sequence from mailboxes`;
  }
}

/** SQL: the present backlog. Deliveries scheduled for later have no sequence yet, and steps count only deliveries with one. */
function pendingOf(sql: Sql, subject: Subject): Fragment {
  const pending = sql`coalesce(sum(c.accepted - c.delivered - c.failed - c.cancelled), 0)`;
  switch (subject.of) {
    case "endpoint":
      return sql`
        select m.last_sequence - coalesce(p.ended, 0)
          - (select coalesce(sum(f.n), 0) from fresh f where f.code % ${KIND_COUNT} in ${sql(ENDED_KINDS)})
        from mailboxes m left join series_positions p on p.endpoint_id = m.endpoint_id
        where m.endpoint_id = ${subject.id}
      `;
    case "account":
      // By endpoint, the key of the queue: no index has an account's scheduled deliveries.
      return sql`
        select ${pending} - (
          select coalesce(sum(s.n), 0)
          from endpoints e
          cross join lateral (
            select count(*) as n from queue q where q.partition = ${SCHEDULED} and q.endpoint_id = e.id
          ) s
          where e.account_id = ${subject.id}
        )
        from ${countsOf(sql, subject.id)} c
      `;
    case "everything":
      return sql`
        select ${pending} - (select count(*) from queue q where q.partition = ${SCHEDULED})
        from (
          select accepted, delivered, failed, cancelled from totals
          union all
          select accepted, delivered, failed, cancelled from counter_deltas
        ) c
      `;
  }
}
