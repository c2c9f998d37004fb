import {
  type BlockBehind,
  type BlockScope,
  type ColdBlock,
  hasBlocks,
  type PlaceInOrder,
  readBehind,
  readHolding,
  readNewest,
  readRangeTables,
} from "../../cold/blocks";
import type { ColdSession } from "../../cold/cold-session";
import { filesWereRead } from "../../cold/files-read";
import { type RunInBlock, readLeast, readRuns } from "../../cold/number-runs";
import { type Database, DatabaseUnavailable, type Reads } from "../../db/database";
import type { AnySql } from "../../db/pool";
import { type AccountId, type DeliveryId, type EndpointId, type EventId, idAfter } from "../../domain/ids";
import { systemClock } from "../../runtime/clock";
import type { CreatedRange } from "../delivery";
import { AFTER_ALL_IDS, BEFORE_ALL_IDS } from "./cursor";
import { rangeOf } from "./id-range";
import { SearchTurns } from "./search-turns";

/** Most blocks that one answer opens. A page that needs more has a cursor to read on with. */
export const MOST_BLOCKS = 4;
/** Most pages of a list that are read for an answer without a cursor. */
export const MOST_PAGES = 8;
/** Most blocks that an answer without a cursor opens. */
export const MOST_WITHOUT_CURSOR = MOST_PAGES * MOST_BLOCKS;
/** Most blocks that an answer of an iterator opens while each may have the next delivery, and those before it had none. */
export const MOST_OVERLAPPING = 16;
/** A read of files waits for its turn for at most this long. */
export const FILE_TURN_MS = 10_000;

/** The request needs deliveries in files, which it does not read. The message says how to get them. */
export class InFiles extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InFiles";
  }
}

/** A page, newest first. `next`: the page is complete down to this id; null if nothing is before it. */
type MergedPage<Item extends ListedItem> = { data: Item[]; next: { before: Item["id"] } | null };
type ListedItem = Readonly<{ id: string }>;

/** The deliveries that an iterator asks for, as far as it concerns blocks. */
type BlocksBehind = CreatedRange & Pick<BlockScope, "accountId" | "event" | "status">;

/** What a list asks for. `reader`: the account whose turn a read of files takes. */
export type ColdList = CreatedRange &
  Pick<BlockScope, "accountId" | "event" | "status"> &
  Readonly<{ reader: AccountId; limit: number; after?: { before: string } | undefined }>;

/**
 * Reads deliveries and events wherever they are, in Postgres or in files. Runs the same statement on both. A block that comes or
 * goes meanwhile makes it read again.
 */
export class ColdReads {
  private readonly turns = new SearchTurns();

  constructor(
    private readonly db: Database,
    private readonly session: ColdSession,
  ) {}

  /** Reads something of one event or delivery, which is in one place. `read` resolves to null where it is not. */
  async one<T>(
    accountId: AccountId,
    id: DeliveryId | EventId,
    read: (reads: Reads) => Promise<T | null>,
  ): Promise<T | null> {
    const hot = await read(this.db);
    if (hot !== null) return hot;
    const blocks = await this.holding(accountId, [id]);
    const cold = blocks.length === 0 ? null : await this.within(accountId, blocks, read);
    // Its block may have come back to Postgres meanwhile.
    return cold ?? read(this.db);
  }

  /** Reads from Postgres and from each block with some of the ids. Throws `InFiles` if they are in too many. */
  async each<T>(
    accountId: AccountId,
    ids: readonly DeliveryId[],
    read: (reads: Reads) => Promise<T>,
  ): Promise<T[]> {
    return this.settled(
      () => this.holding(accountId, ids),
      async (blocks) => {
        if (blocks.length > MOST_WITHOUT_CURSOR)
          throw new InFiles(
            `The deliveries are in more than ${MOST_WITHOUT_CURSOR} files: choose fewer, or use POST /endpoints/{id}/replay, which has no such limit`,
          );
        const parts = [await read(this.db)];
        for (const block of blocks) parts.push(await this.within(accountId, [block], read));
        return parts;
      },
    );
  }

  /** Reads a page, newest first. Blocks may lie beside deliveries of the same time in Postgres. */
  async page<Item extends ListedItem>(
    list: ColdList,
    read: (reads: Reads) => Promise<MergedPage<Item>>,
  ): Promise<MergedPage<Item>> {
    if (list.status === "pending") return read(this.db);
    const { from = BEFORE_ALL_IDS, before = AFTER_ALL_IDS } = rangeOf(list);
    const scope = { ...list, span: { first: from, last: before } };
    return this.settled(
      () => this.run((sql) => readNewest(sql, scope, MOST_BLOCKS + 1)),
      (found) => this.pageOver(found, list, read),
    );
  }

  private async pageOver<Item extends ListedItem>(
    found: readonly ColdBlock[],
    { reader, limit }: ColdList,
    read: (reads: Reads) => Promise<MergedPage<Item>>,
  ): Promise<MergedPage<Item>> {
    const hot = withNext(await read(this.db), limit, found.length > 0);
    const end: string = hot.next?.before ?? BEFORE_ALL_IDS;
    const needed = found.filter(({ lastId }) => lastId >= end);
    const pages = [hot];
    let page = hot;
    // One block at a time: most pages end within the first, and no more than one is in memory.
    for (const [i, block] of needed.slice(0, MOST_BLOCKS).entries()) {
      pages.push(await this.within(reader, [block], read));
      const unopened = needed[i + 1];
      page = mergePages(limit, pages, unopened ? idAfter(unopened.lastId) : null);
      if (page.data.length === limit) break;
    }
    return page;
  }

  /** Reads numbers of an endpoint, from one on. `read` gets the runs of at least `most` numbers that files have of them. */
  numbers<T>(
    endpointId: EndpointId,
    { from, most }: Readonly<{ from: number; most: number }>,
    read: (runs: readonly RunInBlock[]) => Promise<T>,
  ): Promise<T> {
    return this.settled(() => this.run((sql) => readRuns(sql, endpointId, from, most)), read);
  }

  /** Returns the least number of an endpoint that files have; null if they have none. */
  leastNumber(endpointId: EndpointId): Promise<number | null> {
    return this.run((sql) => readLeast(sql, endpointId));
  }

  /** True if the account has files. */
  has(accountId: AccountId): Promise<boolean> {
    return this.run((sql) => hasBlocks(sql, accountId));
  }

  /** Reads deliveries behind a place. `read` gets the next blocks with some, one more than an answer may open. */
  behind<T>(
    list: BlocksBehind,
    place: PlaceInOrder,
    read: (blocks: readonly BlockBehind[]) => Promise<T>,
  ): Promise<T> {
    const { from = BEFORE_ALL_IDS, before = AFTER_ALL_IDS } = rangeOf(list);
    const scope = { ...list, span: { first: from, last: before } };
    return this.settled(() => this.run((sql) => readBehind(sql, scope, place, MOST_OVERLAPPING + 1)), read);
  }

  /**
   * Reads from Postgres and from the blocks that `find` returns. Reads again if a block came or went meanwhile, or did both: then a
   * time range has left Postgres.
   */
  private async settled<Block extends ColdBlock, T>(
    find: () => Promise<Block[]>,
    read: (blocks: readonly Block[]) => Promise<T>,
  ): Promise<T> {
    const look = async () => ({ tables: await this.run(readRangeTables), blocks: await find() });
    for (let before = await look(); ; ) {
      const result = await read(before.blocks);
      const after = await look();
      if (before.tables === after.tables && isSame(before.blocks, after.blocks)) return result;
      before = after;
    }
  }

  private holding(accountId: AccountId, ids: readonly (DeliveryId | EventId)[]): Promise<ColdBlock[]> {
    return this.run((sql) => readHolding(sql, accountId, ids, MOST_WITHOUT_CURSOR + 1));
  }

  private run<T>(work: (sql: AnySql) => Promise<T>): Promise<T> {
    return this.db.run(work);
  }

  /** Reads the rows of blocks. Waits for a turn: one account reads one file at a time. */
  async within<T>(
    reader: AccountId,
    blocks: readonly ColdBlock[],
    read: (reads: Reads) => Promise<T>,
  ): Promise<T> {
    const turn = this.turns.of(reader);
    const began = systemClock.monotonic();
    const found = await turn(
      async () => ({ value: await this.session.within(blocks, read) }),
      AbortSignal.timeout(FILE_TURN_MS),
    );
    if (found === null)
      throw new DatabaseUnavailable(
        "too many files are being read, and this read waited too long for its turn",
      );
    filesWereRead(blocks.length, systemClock.monotonic() - began);
    return found.value;
  }
}

function isSame(some: readonly ColdBlock[], others: readonly ColdBlock[]): boolean {
  return some.length === others.length && some.every(({ id }, i) => others[i]?.id === id);
}

/** Continues a full page behind its last item, if files may have more. */
function withNext<Item extends ListedItem>(
  page: MergedPage<Item>,
  limit: number,
  hasFiles: boolean,
): MergedPage<Item> {
  const last = page.data.at(-1);
  const isOpen = hasFiles && page.next === null && page.data.length === limit && last !== undefined;
  return isOpen ? { ...page, next: { before: last.id } } : page;
}

/** Merges pages of different items. `unreadBefore`: what is before this id was not read at all; null if everything was. */
function mergePages<Item extends ListedItem>(
  limit: number,
  pages: readonly MergedPage<Item>[],
  unreadBefore: string | null,
): MergedPage<Item> {
  const stops: (string | null)[] = [...pages.map(({ next }) => next?.before ?? null), unreadBefore];
  const end = stops.reduce((a, b) => (b !== null && (a === null || b > a) ? b : a), null);
  const complete = pages
    .flatMap(({ data }) => data)
    .filter(({ id }) => end === null || id >= end)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const data = complete.slice(0, limit);
  const last = data.at(-1);
  if (complete.length > limit && last) return { data, next: { before: last.id } };
  return { data, next: end === null ? null : { before: end as Item["id"] } };
}
