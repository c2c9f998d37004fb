import { blocksWith, countIn, type RunInBlock } from "../../cold/number-runs";
import type { Database } from "../../db/database";
import type { Sql } from "../../db/pool";
import type { AccountId, DeliveryId, EndpointId } from "../../domain/ids";
import { epochOf } from "../../installation/eras";
import { type ColdReads, MOST_BLOCKS } from "../lists/cold-reads";
import { leastKept, type NumberedDelivery, readPayloads, selectNumbered } from "./entries";
import { ALL_TIME, type NumberRange, type NumbersTime, seekNumbers } from "./seek";

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
 * number that is kept. A page costs the same wherever it begins in Postgres, and reads few files.
 */
export class EndpointLog {
  constructor(
    private readonly db: Database,
    /** Null if all deliveries are in Postgres. */
    private readonly cold: ColdReads | null = null,
  ) {}

  /** Resolves to null if the account has no such endpoint. Throws `DatabaseUnavailable` and `StoreUnavailable`. */
  async read(query: LogQuery): Promise<LogPage | null> {
    const { accountId, endpointId, from, limit } = query;
    const state = await this.db.run((sql) => readState(sql, accountId, endpointId));
    if (state === null) return null;
    const page = (runs: readonly RunInBlock[]) => this.page(query, state, runs);
    return this.cold?.numbers(endpointId, { from, most: limit }, page) ?? page([]);
  }

  /** Reads a page. It ends in front of the first number that needs one file too many. */
  private async page(query: LogQuery, state: LogState, runs: readonly RunInBlock[]): Promise<LogPage> {
    const { accountId, endpointId, from, limit } = query;
    const rangeAt = (first: number): NumberRange => ({
      accountId,
      endpointId,
      from: first,
      to: Math.min(first + limit - 1, state.completeUpTo),
    });
    const asked = rangeAt(from);
    const found = await this.numbered(asked, runs);
    const isKept = found.has(from) || countIn(runs, { from, to: from }) > 0;
    const start = isKept || asked.to < from ? from : await this.firstKept(asked, state.completeUpTo);
    const { blocks, to } = blocksWith(runs, rangeAt(start), MOST_BLOCKS);
    const range = { ...rangeAt(start), to };
    const hot = start === from ? found : await this.numbered(range, runs);
    const filed = await this.readFiles(query, range, blocks);
    const fates = await this.fatesOf(query, fill(range, new Map([...hot, ...filed.numbers])), filed.payloads);
    return { ...state, fates, next: (fates.at(-1)?.sequence ?? start - 1) + 1 };
  }

  /** Returns the number at which a page begins whose first number is missing: the first that is kept, if it comes later. */
  private async firstKept(asked: NumberRange, completeUpTo: number): Promise<number> {
    const least = await this.db.run((sql) => leastKept(sql, asked));
    const inFiles = this.cold && (await this.cold.leastNumber(asked.endpointId));
    const first = Math.min(least ?? completeUpTo + 1, inFiles ?? completeUpTo + 1, completeUpTo + 1);
    return Math.max(asked.from, first);
  }

  /** Reads the numbers of a range that are in Postgres. */
  private async numbered(
    range: NumberRange,
    runs: readonly RunInBlock[],
  ): Promise<Map<number, NumberedDelivery>> {
    const found = new Map<number, NumberedDelivery>();
    const wanted = range.to - range.from + 1 - countIn(runs, range);
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

  /** Reads the numbers of a range that are in some blocks, and of each block as many payloads as a page may hold. */
  private async readFiles(
    { accountId, withPayloads }: LogQuery,
    range: NumberRange,
    blocks: readonly RunInBlock[],
  ): Promise<FiledNumbers> {
    const filed: FiledNumbers = { numbers: new Map(), payloads: new Map() };
    for (const block of blocks) {
      await this.cold?.within(accountId, [block], async (reads) => {
        const found = await reads.run((sql) => selectNumbered(sql, range, ALL_TIME));
        const numbers = new Map(found.map((each) => [each.sequence, each]));
        const shown = withPayloads ? withinBytes(fill(range, numbers)) : [];
        const ids = shown.flatMap(({ delivery }) => delivery?.id ?? []);
        const payloads = await reads.run((sql) => readPayloads(sql, accountId, ids));
        for (const [sequence, each] of numbers) filed.numbers.set(sequence, each);
        for (const [id, data] of payloads) filed.payloads.set(id, data);
      });
    }
    return filed;
  }

  /** Adds the payloads of as many numbers as a page may hold, at least one. */
  private async fatesOf(
    { accountId, withPayloads }: LogQuery,
    numbers: readonly MaybeKept[],
    filed: FiledNumbers["payloads"],
  ): Promise<NumberFate[]> {
    const shown = withPayloads ? withinBytes(numbers) : numbers;
    const ids = shown.flatMap(({ delivery }) => (withPayloads && delivery ? [delivery.id] : []));
    const hot = await this.db.run((sql) =>
      readPayloads(
        sql,
        accountId,
        ids.filter((id) => !filed.has(id)),
      ),
    );
    const dataOf = (id: DeliveryId) => filed.get(id) ?? hot.get(id) ?? null;
    return shown.map(({ sequence, delivery }) => ({
      sequence,
      delivery: delivery && { ...delivery, data: dataOf(delivery.id) },
    }));
  }
}

type LogState = Pick<LogPage, "epoch" | "completeUpTo">;
type MaybeKept = { sequence: number; delivery: NumberedDelivery | null };
/** Numbers from files, and payloads of them. */
type FiledNumbers = { numbers: Map<number, NumberedDelivery>; payloads: Map<DeliveryId, string> };

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

async function readState(sql: Sql, accountId: AccountId, endpointId: EndpointId): Promise<LogState | null> {
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
