import { type Database, DatabaseUnavailable } from "../db/database";
import type { AccountId, DeliveryId } from "../domain/ids";
import type { DeliveryDetail, DeliverySummary } from "./delivery";
import { readDetail } from "./detail";
import { filterCount } from "./lists/candidates";
import { type CursorPage, type CursorQuery, readAfter } from "./lists/cursor-form";
import { type IteratorQuery, type IteratorStep, readNext } from "./lists/iteration";
import { type NumberedPage, type PageQuery, readPage } from "./lists/page-form";
import { SearchPaces } from "./lists/search-pace";
import { SearchTurns } from "./lists/search-turns";
import { readSummaries } from "./lists/summary";

/** Pages that end within this many deliveries are read at once. Reading others may pass millions of deliveries. */
const NEAR = 10_000;
/** How long a page waits for its turn, in milliseconds. */
const PAGE_TURN_MS = 10_000;

/** Reads an account's deliveries. Every method throws `DatabaseUnavailable`. */
export class Deliveries {
  private readonly paces = new SearchPaces();

  constructor(
    private readonly db: Database,
    private readonly pageTurns = new SearchTurns(),
  ) {}

  /** Null when the account has no delivery with this id. */
  get(accountId: AccountId, id: DeliveryId): Promise<DeliveryDetail | null> {
    return readDetail(this.db, accountId, id);
  }

  /**
   * Reads a page by its number, newest first, with the total. Takes turns if the page is far, or has two filters and
   * may need a search.
   */
  async pageForm(accountId: AccountId, query: PageQuery): Promise<NumberedPage> {
    const read = () => this.db.run((sql) => readPage(sql, accountId, query));
    const isNear = query.page * query.perPage <= NEAR;
    if (isNear && filterCount(query) < 2) return read();
    const page = await this.pageTurns.of(accountId)(read, AbortSignal.timeout(PAGE_TURN_MS));
    if (page === null)
      throw new DatabaseUnavailable(
        "too many list pages are being read; this one waited too long for its turn",
      );
    return page;
  }

  /** Reads the page after a position, newest first. */
  cursorForm(accountId: AccountId, query: CursorQuery): Promise<CursorPage> {
    return readAfter(this.db, this.paces, accountId, query);
  }

  /** Reads these deliveries, oldest first. Those that are not stored any more are missing. */
  summaries(accountId: AccountId, ids: readonly DeliveryId[]): Promise<DeliverySummary[]> {
    return this.db.run((sql) => readSummaries(sql, accountId, ids));
  }

  /** Reads the deliveries after a position, oldest first; skips none. */
  iterate(accountId: AccountId, query: IteratorQuery): Promise<IteratorStep> {
    return readNext(this.db, this.paces, accountId, query);
  }
}
