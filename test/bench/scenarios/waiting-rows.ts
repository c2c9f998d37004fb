import postgres from "postgres";

/** Rows written by one statement. */
const PART = 20_000;

export type Waiting = {
  databaseUrl: string;
  /** Endpoints that are to have waiting deliveries. */
  url: string;
  endpoints: number;
  /** Deliveries for each of them. */
  deliveries: number;
};

/** Writes the rows that the intake would write, faster. */
export async function queueUp({ databaseUrl, url, endpoints, deliveries }: Waiting): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  const part = Math.max(1, Math.floor(PART / endpoints));
  try {
    for (let first = 1; first <= deliveries; first += part) {
      const last = Math.min(first + part - 1, deliveries);
      await sql.unsafe(INSERT, [url, first, last, Date.now()]);
    }
    await sql.unsafe("vacuum analyze");
    // Syncs the disk first, since the waiting is to be measured and not the writing.
    await sql.unsafe("checkpoint");
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const INSERT = `
  with targets as materialized (
    select e.id, e.account_id, m.partition
    from endpoints e join mailboxes m on m.endpoint_id = e.id
    where e.url = $1
  ),
  waiting as materialized (
    select n, t.*, (lpad(to_hex($4::bigint), 12, '0') || '7' || left(hash, 3) || '8' || right(hash, 15))::uuid as delivery_id
    from generate_series($2::bigint, $3::bigint) n, targets t, md5(t.id::text || n) as hash
  ),
  stored as (
    insert into deliveries (id, account_id, endpoint_id, sequence, event, data)
    select delivery_id, account_id, id, n, 'order.created', '{"order":' || n || ',"note":"' || repeat('x', 460) || '"}'
    from waiting
  ),
  numbered as (
    update mailboxes m set last_sequence = $3::bigint from targets t where m.endpoint_id = t.id
  ),
  counted as (
    insert into counter_deltas (account_id, event, accepted)
    select account_id, 'order.created', count(*) from waiting group by 1
  )
  insert into queue (partition, endpoint_id, sequence, delivery_id, account_id)
  select partition, id, n, delivery_id, account_id from waiting
`;
