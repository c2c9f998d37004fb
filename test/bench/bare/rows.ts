import postgres from "postgres";

export type Sql = postgres.Sql;

const CONNECTIONS = 8;

// In one transaction, one process at a time: two that start together would both find no tables.
const SCHEMA = `
  select pg_advisory_xact_lock(1);
  create table if not exists endpoints (
    id uuid primary key,
    url text not null,
    secret text not null,
    last_sequence integer not null default 0
  ) with (fillfactor = 50);
  create table if not exists deliveries (
    id uuid primary key,
    endpoint_id uuid not null,
    sequence integer not null,
    status smallint not null default 0,
    data text not null
  ) with (fillfactor = 80);
  create index if not exists deliveries_endpoint on deliveries (endpoint_id, sequence);
`;

export type Rows = {
  sql: Sql;
  /**
   * The connection that accepts. It has the next statement ready; two connections would wait for each other's endpoints
   * (measured: an eighth fewer accepted).
   */
  intake: Sql;
  close(): Promise<void>;
};

/** Connects, and creates missing tables. */
export async function openRows(url: string): Promise<Rows> {
  // The query for array types costs more on Bun than it saves, and so do pipelined queries on many connections.
  const connect = (max: number, max_pipeline: number) => {
    const settings = { max, max_pipeline, fetch_types: false, onnotice: () => {} };
    return postgres(url, settings);
  };
  const sql = connect(CONNECTIONS, 1);
  await sql.unsafe(SCHEMA);
  const intake = connect(1, 2);
  const close = async () => {
    await Promise.all([sql.end({ timeout: 5 }), intake.end({ timeout: 5 })]);
  };
  return { sql, intake, close };
}

export type Arrival = { id: string; endpointId: string; data: string };
export type Delivery = Arrival & { sequence: number };

/** Stores arrivals, each with its endpoint's next number, assigned under the endpoint's lock. */
export async function insertDeliveries(sql: Sql, arrivals: readonly Arrival[]): Promise<Delivery[]> {
  const places = new Map<string, number>();
  const counts: number[] = [];
  const rows = arrivals.map((arrival) => {
    const place = places.get(arrival.endpointId) ?? counts.push(0) - 1;
    places.set(arrival.endpointId, place);
    const nth = (counts[place] ?? 0) + 1;
    counts[place] = nth;
    return { ...arrival, place, nth };
  });
  const endpointIds = plainArray([...places.keys()]);
  const [numbered] = await sql<{ before: string }[]>`
    with moved as (
      update endpoints e set last_sequence = e.last_sequence + i.count
      from unnest(${endpointIds}::uuid[], ${plainArray(counts)}::integer[])
        with ordinality as i(id, count, place)
      where e.id = i.id
      returning i.place, e.last_sequence - i.count as before
    ),
    numbers as (
      select array_agg(before order by place) as before from moved
    ),
    stored as (
      insert into deliveries (id, endpoint_id, sequence, data)
      select r.id, (${endpointIds}::uuid[])[r.place], before[r.place] + r.nth, r.data
      from numbers, unnest(
        ${plainArray(rows.map((row) => row.id))}::uuid[],
        ${plainArray(rows.map((row) => row.place + 1))}::integer[],
        ${plainArray(rows.map((row) => row.nth))}::integer[],
        ${textArray(rows.map((row) => row.data))}::text[]
      ) as r(id, place, nth, data)
    )
    select array_to_string(before, ',') as before from numbers
  `;
  const before = numbered?.before.split(",") ?? [];
  if (before.length < counts.length) throw new Error("an endpoint is missing");
  return rows.map(({ id, endpointId, data, place, nth }) => {
    return { id, endpointId, data, sequence: Number(before[place]) + nth };
  });
}

export async function updateStatuses(
  sql: Sql,
  results: readonly { id: string; status: number }[],
): Promise<void> {
  await sql`
    update deliveries d set status = r.status
    from unnest(
      ${plainArray(results.map((result) => result.id))}::uuid[],
      ${plainArray(results.map((result) => result.status))}::smallint[]
    ) as r(id, status)
    where d.id = r.id
  `;
}

export type Endpoint = { id: string; url: string; secret: string };

export async function insertEndpoint(sql: Sql, { id, url, secret }: Endpoint): Promise<void> {
  await sql`insert into endpoints (id, url, secret) values (${id}::uuid, ${url}, ${secret})`;
}

export async function findEndpoint(sql: Sql, id: string): Promise<Endpoint> {
  const [found] = await sql<Endpoint[]>`select id, url, secret from endpoints where id = ${id}::uuid`;
  if (!found) throw new Error(`there is no endpoint ${id}`);
  return found;
}

/** Returns an array literal of elements that need no quotes. */
function plainArray(values: readonly (string | number)[]): string {
  return `{${values.join(",")}}`;
}

function textArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}
