import type { BlockRows } from "../cold/block-file";
import type { BlockSpan } from "../cold/blocks";
import type { TransactionSql } from "../db/pool";
import type { DeliveryStatus } from "../domain/delivery-status";
import type { DeliveryId, EndpointId } from "../domain/ids";
import type { RangeTables } from "./range-tables";
import { isEnded } from "./waiting-rows";

/** The rows of a block, and the facts of its deliveries that Postgres keeps beside the file. */
export type BlockContents = Readonly<{
  rows: BlockRows;
  deliveries: readonly DeliveryFacts[];
  /** Of the deliveries that have ended. */
  statuses: ReadonlyMap<DeliveryId, EndedStatus>;
}>;

export type EndedStatus = Exclude<DeliveryStatus, "pending">;
export type DeliveryFacts = Readonly<{
  id: DeliveryId;
  endpointId: EndpointId;
  /** Null if it was cancelled before it got a number. */
  sequence: number | null;
  event: string | null;
  replayOf: DeliveryId | null;
  /** The 64-bit stamp of the transaction that accepted the delivery, decimal. */
  transaction: string;
}>;
type JsonRow = Readonly<{ row: string }>;

/** Reads everything of a span that does not wait, each row as JSON. */
export async function readContents(
  sql: TransactionSql,
  { names }: RangeTables,
  span: BlockSpan,
): Promise<BlockContents> {
  const read = <Row extends JsonRow>(text: string) =>
    sql.unsafe<Row[]>(text, [span.accountId, span.firstId, span.lastId]);
  const own = `t where account_id = $1::uuid and id between $2::uuid and $3::uuid and ${isEnded("t.id")} order by id`;
  const ofDeliveries = `(select id, endpoint_id from "${names.deliveries}" ${own}) d cross join lateral`;
  const events = await read(`select row_to_json(t)::text as row from "${names.events}" ${own}`);
  const deliveries = await read<JsonRow & DeliveryFacts>(
    `
    select row_to_json(t)::text as row, id, endpoint_id as "endpointId", sequence::float8 as sequence, event,
      replay_of as "replayOf", transaction::text
    from "${names.deliveries}" ${own}
    `,
  );
  const results = await read<JsonRow & { id: DeliveryId; status: EndedStatus }>(`
    select row_to_json(r)::text as row, d.id, r.status from ${ofDeliveries} (
      select * from "${names.results}" x where x.endpoint_id = d.endpoint_id and x.delivery_id = d.id limit 1
    ) r
  `);
  const attempts = await read(`
    select row_to_json(r)::text as row from ${ofDeliveries} (
      select * from "${names.attempts}" x where x.delivery_id = d.id order by x.attempt offset 0
    ) r
  `);
  const rows = {
    events: textsOf(events),
    deliveries: textsOf(deliveries),
    results: textsOf(results),
    attempts: textsOf(attempts),
  };
  return { rows, deliveries, statuses: new Map(results.map(({ id, status }) => [id, status])) };
}

function textsOf(rows: readonly JsonRow[]): string[] {
  return rows.map(({ row }) => row);
}
