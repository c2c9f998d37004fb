import postgres from "postgres";

export type Sql = postgres.Sql;

const CONNECTIONS = 8;

const SCHEMA = `
  create table if not exists endpoints (id uuid primary key, url text not null, secret text not null);
  create table if not exists deliveries (
    id uuid primary key,
    endpoint_id uuid not null,
    sequence integer not null,
    status smallint not null default 0,
    data text not null
  ) with (fillfactor = 80);
  create index if not exists deliveries_endpoint on deliveries (endpoint_id, sequence);
`;

/** Connects, and makes the tables when they are missing. */
export async function openRows(url: string): Promise<Sql> {
  // Pipelined queries and the query for array types both cost more on Bun than they bring.
  const settings = { max: CONNECTIONS, max_pipeline: 1, fetch_types: false, onnotice: () => {} };
  const sql = postgres(url, settings);
  await sql.unsafe(SCHEMA);
  return sql;
}

export type Delivery = { id: string; endpointId: string; sequence: number; data: string };

export async function insertDeliveries(sql: Sql, rows: readonly Delivery[]): Promise<void> {
  await sql`
    insert into deliveries (id, endpoint_id, sequence, data)
    select * from unnest(
      ${plainArray(rows.map((row) => row.id))}::uuid[],
      ${plainArray(rows.map((row) => row.endpointId))}::uuid[],
      ${plainArray(rows.map((row) => row.sequence))}::integer[],
      ${textArray(rows.map((row) => row.data))}::text[]
    )
  `;
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

/** An array literal of elements that need no quotes. */
function plainArray(values: readonly (string | number)[]): string {
  return `{${values.join(",")}}`;
}

function textArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}
