import type { Database, Reads } from "../db/database";
import type { AnySql, Fragment } from "../db/pool";
import { deliveryById, isOfEvent } from "../db/sql/planner";
import type { ColdReads } from "../deliveries/lists/cold-reads";
import { idsOfEndpoint } from "../deliveries/lists/endpoint-ids";
import { queueOf, readEndpointSize } from "../deliveries/lists/endpoint-size";
import { type IdRange, within } from "../deliveries/lists/id-range";
import { type AccountId, type DeliveryId, type EndpointId, type EventId, leastIdAt } from "../domain/ids";

/** Most kept events and webhooks that a test of a filter or a schema reads. */
export const MAX_SAMPLE = 100;
/** Most bytes of the payloads of a test, as Postgres stores them. */
export const MAX_SAMPLE_BYTES = 4_194_304;

/** A kept payload: an event of the account, or a webhook that was sent to one endpoint only. */
export type Sampled = Readonly<{ event: string | null; data: string }> &
  (Readonly<{ kind: "evt"; id: EventId }> | Readonly<{ kind: "wh"; id: DeliveryId }>);

export type SampleRange = Readonly<{ createdFrom?: number | undefined; createdBefore?: number | undefined }>;

/** Reads samples wherever payloads are. Opens few files, so that older payloads there may be missing. */
export class Samples {
  constructor(
    private readonly db: Database,
    /** Null if all payloads are in Postgres. */
    private readonly cold: ColdReads | null,
  ) {}

  /** Reads the newest kept payloads that could have gone to an endpoint. Throws `DatabaseUnavailable`. */
  async of(accountId: AccountId, endpointId: EndpointId, range: SampleRange): Promise<Sampled[]> {
    const read = async (reads: Reads) => {
      const data = await reads.run((sql) => readSample(sql, accountId, endpointId, range));
      const last = data.at(-1);
      return { data, next: last && data.length === MAX_SAMPLE ? { before: last.id } : null };
    };
    const list = { ...range, accountId, reader: accountId, limit: MAX_SAMPLE };
    const { data } = await (this.cold?.page(list, read) ?? read(this.db));
    return data;
  }
}

/** Reads the newest kept payloads that could have gone to an endpoint, without erased ones. */
async function readSample(
  sql: AnySql,
  accountId: AccountId,
  endpointId: EndpointId,
  sampled: SampleRange,
): Promise<Sampled[]> {
  const range = rangeOf(sampled);
  const size = await readEndpointSize(sql, accountId, endpointId);
  const queue = size ? queueOf(size) : { endpointId, shortIn: null };
  const ids = idsOfEndpoint(sql, accountId, queue, range, { order: "newest", rows: MAX_SAMPLE });
  return newest(
    sql,
    sql`
      select 'evt' as kind, i.id, i.event, i.data from events i
      where i.account_id = ${accountId} ${within(sql, range, "i.id")} and i.data <> ''
    `,
    sql`
      select 'wh' as kind, d.id, d.event, d.data
      from (${ids} order by id desc limit ${MAX_SAMPLE}) c
      cross join lateral ${deliveryById(sql, accountId, sql`c.id`)} d
      where d.data <> ''
    `,
  );
}

/** Reads the newest kept payloads of an event type. */
export function readPayloadsOf(
  sql: AnySql,
  accountId: AccountId,
  event: string,
  sampled: SampleRange,
): Promise<Sampled[]> {
  const range = rangeOf(sampled);
  return newest(
    sql,
    sql`
      select 'evt' as kind, i.id, i.event, i.data from events i
      where i.account_id = ${accountId} and ${isOfEvent(sql, "i", event)} ${within(sql, range, "i.id")} and i.data <> ''
    `,
    sql`
      select 'wh' as kind, d.id, d.event, d.data from deliveries d
      where d.account_id = ${accountId} and ${isOfEvent(sql, "d", event)} ${within(sql, range, "d.id")} and d.data <> ''
    `,
  );
}

function rangeOf({ createdFrom, createdBefore }: SampleRange): IdRange {
  return {
    from: createdFrom === undefined ? undefined : leastIdAt(createdFrom),
    before: createdBefore === undefined ? undefined : leastIdAt(createdBefore),
  };
}

async function newest(sql: AnySql, events: Fragment, webhooks: Fragment): Promise<Sampled[]> {
  return sql<Sampled[]>`
    select kind, id, event, data from (
      select *, sum(pg_column_size(data)) over (order by id desc) as bytes from (
        (${events} order by id desc limit ${MAX_SAMPLE})
        union all
        (${webhooks} order by id desc limit ${MAX_SAMPLE})
        order by id desc limit ${MAX_SAMPLE}
      ) newest
    ) s
    where bytes <= ${MAX_SAMPLE_BYTES}
    order by id desc
  `;
}
