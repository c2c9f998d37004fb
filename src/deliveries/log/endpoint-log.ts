import type { Database } from "../../db/database";
import type { Sql } from "../../db/pool";
import type { AccountId, DeliveryId, EndpointId } from "../../domain/ids";
import { epochOf } from "../../installation/eras";
import { type ColdReads, InFiles } from "../lists/cold-reads";
import { leastKept, type NumberedDelivery, readPayloads, selectNumbered } from "./entries";
import { type NumberRange, type NumbersTime, seekNumbers } from "./seek";

/** Limits of a page of the log. */
export const LOG_PAGE = { numbers: 500, default: 100, bytes: 4 * 1_048_576 };

/** How far from their neighbours' times ids may be, in milliseconds. */
export const MOST_APART_MS = 600_000;
/** The distances that are tried in turn, while numbers are missing. */
const DISTANCES_MS = [250, 30_000, MOST_APART_MS];

/** One number, with its delivery; null if it is older than the retention. `data`: the payload; null if it is erased. */
export type NumberFate = { sequence: number; delivery: (NumberedDelivery & { data: string | null }) | null };

export type LogPage = {
  /** Changes if numbers can come again, since Postgres was restored. Null if Postgres does not show it. */
  epoch: string | null;
  /** The number up to which nothing is pending. */
  completeUpTo: number;
  fates: NumberFate[];
  /** The number to read on from. */
  next: number;
};

export type LogQuery = Readonly<{
  accountId: AccountId;
  endpointId: EndpointId;
  from: number;
  limit: number;
  /** False if the reader may not see payloads. */
  withPayloads: boolean;
}>;

/**
 * Reads an endpoint's numbers in their order, each with what became of it, up to the first that is pending. Begins at the first
 * number that is kept. A page costs the same wherever it begins.
 */
export class EndpointLog {
  constructor(
    private readonly db: Database,
    /** Null if all deliveries are in Postgres. */
    private readonly cold: Pick<ColdReads, "has"> | null = null,
  ) {}

  /** Resolves to null if the account has no such endpoint. Throws `DatabaseUnavailable`, and `InFiles` if a file may have a number. */
  async read(query: LogQuery): Promise<LogPage | null> {
    const { cold } = this;
    if (cold === null) return this.readPostgres(query);
    const had = await cold.has(query.accountId);
    const page = await this.readPostgres(query);
    const unknown = page === null ? null : firstUnknown(page, query.from);
    if (page === null || unknown === null) return page;
    // Again: a block may have left Postgres, or have come back, while the page was read.
    if (!had && !(await cold.has(query.accountId))) return page;
    throw new InFiles(
      `The delivery with the number ${unknown} may be in a file, which the log does not read: read on from ` +
        `${firstKnown(page, unknown)}, or list the endpoint's deliveries. POST /endpoints/{id}/replay sends them again`,
    );
  }

  private async readPostgres(query: LogQuery): Promise<LogPage | null> {
    const { accountId, endpointId, from, limit } = query;
    const state = await this.db.run((sql) => readState(sql, accountId, endpointId));
    if (state === null) return null;
    const range = (first: number): NumberRange => ({
      accountId,
      endpointId,
      from: first,
      to: Math.min(first + limit - 1, state.completeUpTo),
    });
    const asked = range(from);
    const found = await this.numbered(asked);
    const start = found.has(from) || asked.to < from ? from : await this.firstKept(asked, state.completeUpTo);
    const numbers = start === from ? found : await this.numbered(range(start));
    const fates = await this.fatesOf(query, fill(range(start), numbers));
    return { ...state, fates, next: (fates.at(-1)?.sequence ?? start - 1) + 1 };
  }

  /** Returns the number at which a page begins whose first number is missing: the first that is kept, if it comes later. */
  private async firstKept(asked: NumberRange, completeUpTo: number): Promise<number> {
    const least = await this.db.run((sql) => leastKept(sql, asked));
    return Math.max(asked.from, Math.min(least ?? Number.POSITIVE_INFINITY, completeUpTo + 1));
  }

  private async numbered(range: NumberRange): Promise<Map<number, NumberedDelivery>> {
    const found = new Map<number, NumberedDelivery>();
    const wanted = range.to - range.from + 1;
    if (wanted <= 0) return found;
    const time = await this.db.run((sql) => seekNumbers(sql, range));
    if (time === null) return found;
    for (const distance of DISTANCES_MS) {
      const rows = await this.db.run((sql) => selectNumbered(sql, range, widened(time, distance)));
      for (const row of rows) found.set(row.sequence, row);
      if (found.size === wanted) break;
    }
    return found;
  }

  /** Adds the payloads of as many numbers as a page may hold, at least one. */
  private async fatesOf(
    { accountId, withPayloads }: LogQuery,
    numbers: readonly MaybeKept[],
  ): Promise<NumberFate[]> {
    const shown = withPayloads ? withinBytes(numbers) : numbers;
    const ids = shown.flatMap(({ delivery }) => (withPayloads && delivery ? [delivery.id] : []));
    const payloads = await this.db.run((sql) => readPayloads(sql, accountId, ids));
    const dataOf = (id: DeliveryId) => payloads.get(id) ?? null;
    return shown.map(({ sequence, delivery }) => ({
      sequence,
      delivery: delivery && { ...delivery, data: dataOf(delivery.id) },
    }));
  }
}

/** Returns the first number from `from` on that the page has no delivery of; null if it has all. */
function firstUnknown({ fates }: LogPage, from: number): number | null {
  const [start] = fates;
  if (start !== undefined && start.sequence > from) return from;
  return fates.find(({ delivery }) => delivery === null)?.sequence ?? null;
}

/** Returns the number behind another one at which a page of the log begins that has its first delivery. */
function firstKnown({ fates, next }: LogPage, unknown: number): number {
  return fates.find(({ sequence, delivery }) => sequence > unknown && delivery !== null)?.sequence ?? next;
}

type MaybeKept = { sequence: number; delivery: NumberedDelivery | null };

function fill({ from, to }: NumberRange, found: ReadonlyMap<number, NumberedDelivery>): MaybeKept[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => ({
    sequence: from + i,
    delivery: found.get(from + i) ?? null,
  }));
}

/** Returns the first numbers whose payloads fit a page together, at least one. */
function withinBytes(numbers: readonly MaybeKept[]): readonly MaybeKept[] {
  let bytes = 0;
  const end = numbers.findIndex(({ delivery }, i) => {
    bytes += delivery?.size ?? 0;
    return i > 0 && bytes > LOG_PAGE.bytes;
  });
  return end === -1 ? numbers : numbers.slice(0, end);
}

function widened({ first, last }: NumbersTime, byMs: number): NumbersTime {
  return { first: first - byMs, last: last + byMs };
}

async function readState(
  sql: Sql,
  accountId: AccountId,
  endpointId: EndpointId,
): Promise<Pick<LogPage, "epoch" | "completeUpTo"> | null> {
  const [row] = await sql<{ completeUpTo: number }[]>`
    select coalesce(
      (select q.sequence - 1 from queue q
        where q.partition = m.partition and q.endpoint_id = m.endpoint_id order by q.sequence limit 1),
      m.last_sequence
    )::float8 as "completeUpTo"
    from endpoints e join mailboxes m on m.endpoint_id = e.id
    where e.id = ${endpointId} and e.account_id = ${accountId} and e.deleted_at is null
  `;
  return row ? { ...row, epoch: await epochOf(sql) } : null;
}
