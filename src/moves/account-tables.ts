import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import * as schema from "../db/schema";
import type { ChannelNames } from "../domain/move-channel";
import { allTables } from "../transfer/tables";

/**
 * Large tables of what an account accepted. Replication copies their rows, and follows them until the account leaves. Changes are
 * published where the filter's column is in the table's key.
 */
export const FOLLOWED = {
  changing: [schema.events, schema.deliveries],
  lasting: [schema.results, schema.attempts],
} as const;

/** Tables of a cell, and rows of an account that stay behind or are forgotten. */
export const LEFT_BEHIND: readonly PgTable[] = [
  schema.plans,
  schema.settings,
  schema.processes,
  schema.dispatchers,
  schema.partitionLeases,
  schema.usedSignIns,
  schema.sessions,
  schema.rateWindows,
  schema.traces,
  schema.coldBlocks,
  schema.coldNumbers,
  schema.retentionProgress,
  schema.retentionCounts,
  schema.moves,
  schema.movedRows,
];

/** A table whose rows move with their account, all at once. */
export type CarriedTable = Readonly<{
  name: string;
  /** The columns that are carried. The destination gives others their values. */
  columns: readonly string[];
  /** SQL: true for a row `t` of the account `$1`. */
  isOwned: string;
  /** Values at the destination that differ from those of the row `r`, by column. */
  arrives: Readonly<Record<string, string>>;
  /** The column whose order its rows are inserted in, since they refer to each other. */
  order: string | null;
}>;

const OF_ACCOUNT = "t.account_id = $1";
const ENDPOINTS = "select e.id from endpoints e where e.account_id = $1";
const OF_ENDPOINTS = `t.endpoint_id in (${ENDPOINTS})`;

/** SQL: the endpoints whose figures over time a publication does not follow. */
function notFollowedBy(publication: string): string {
  return `
    select e.id from endpoints e where e.account_id = $1::uuid and strpos((
      select coalesce(max(p.rowfilter), '') from pg_publication_tables p
      where p.pubname = '${publication}' and p.tablename = 'series'
    ), e.id::text) = 0
  `;
}

type Exception = Partial<Pick<CarriedTable, "isOwned" | "arrives" | "order">> &
  Readonly<{ without?: string }>;

const EXCEPTIONS = new Map<PgTable, Exception>([
  [schema.mailboxes, { isOwned: OF_ENDPOINTS }],
  [schema.pulls, { isOwned: OF_ENDPOINTS }],
  [schema.seriesPositions, { isOwned: OF_ENDPOINTS }],
  [
    schema.erasures,
    {
      isOwned: `exists (select from deliveries d where d.account_id = $1 and d.id = t.delivery_id)
        or exists (select from events v where v.account_id = $1 and v.id = t.delivery_id)`,
    },
  ],
  // Each cell numbers scheduled deliveries by itself.
  [
    schema.queue,
    {
      arrives: {
        sequence: `case when r.partition = -1 then nextval('scheduled_number') else r.sequence end`,
      },
    },
  ],
  [schema.feedOutbox, { without: "id", order: "id" }],
  [schema.apiKeys, { order: "id" }],
  // The destination numbers transactions by itself, so what it accepts follows in an era of its own.
  [schema.accounts, { isOwned: "t.id = $1", arrives: { departure: "null", era: "r.era + 1" } }],
]);

/**
 * The order in which rows are taken from the source. First those whose locks order sends and records before or after it, then the
 * figures, since a figure is moved from one table to the next; endpoints last, by which others are found.
 */
const FIRST_TAKEN: readonly PgTable[] = [
  schema.mailboxes,
  schema.queue,
  schema.pulls,
  schema.counterDeltas,
  schema.counters,
  schema.totals,
];
const LAST_TAKEN: readonly PgTable[] = [schema.apiKeys, schema.endpoints, schema.accounts];
/** Counted in `tallies` by several endpoints in a row, so taken and given back by statements of their own. */
export const TALLIES = schema.tallies;

function carriedTableOf(table: PgTable, { changes }: ChannelNames): CarriedTable {
  // Replication follows the figures of the endpoints that there were when the move began.
  const ofSeries = { isOwned: `t.subject in (${notFollowedBy(changes)})` };
  const exception: Exception = table === schema.series ? ofSeries : (EXCEPTIONS.get(table) ?? {});
  const { isOwned = OF_ACCOUNT, arrives = {}, order = null, without } = exception;
  const columns = Object.values(getTableColumns(table)).map(({ name }) => name);
  if (isOwned === OF_ACCOUNT && !columns.includes("account_id"))
    throw new Error(
      `the table ${getTableName(table)} must say which rows are an account's, or be left behind`,
    );
  return {
    name: getTableName(table),
    columns: columns.filter((name) => name !== without),
    isOwned,
    arrives,
    order,
  };
}

/** Returns the tables in the order in which the source's rows are taken. */
export function carriedTables(names: ChannelNames): CarriedTable[] {
  const apart: readonly PgTable[] = [
    ...FOLLOWED.changing,
    ...FOLLOWED.lasting,
    ...LEFT_BEHIND,
    TALLIES,
    ...FIRST_TAKEN,
    ...LAST_TAKEN,
  ];
  const others = allTables().filter((table) => !apart.includes(table));
  return [...FIRST_TAKEN, ...others, ...LAST_TAKEN].map((table) => carriedTableOf(table, names));
}
