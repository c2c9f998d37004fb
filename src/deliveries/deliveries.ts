import { type Database, DatabaseUnavailable } from "../db/database";
import type { AccountId, DeliveryId } from "../runtime/ids";
import type { DeliveryDetail } from "./delivery";
import { readDetail } from "./detail";
import { filterCount } from "./lists/candidates";
import { type CursorPage, type CursorQuery, readAfter } from "./lists/cursor-form";
import { type IteratorQuery, type IteratorStep, readNext } from "./lists/iteration";
import { type NumberedPage, type PageQuery, readPage } from "./lists/page-form";
import { SearchPaces } from "./lists/search-pace";
import { SearchTurns } from "./lists/search-turns";

/** A page that ends within so many deliveries of the first is read at once: the way to others may be millions long. */
const NEAR = 10_000;
/** How long a page waits for its turn to be looked for, milliseconds. */
const PAGE_TURN_MS = 10_000;

/** What became of an account's deliveries. Every method throws `DatabaseUnavailable`. */
export class Deliveries {
  private readonly paces = new SearchPaces();

  constructor(
    private readonly db: Database,
    private readonly pageTurns = new SearchTurns(),
  ) {}

  /** Null when the account has none of this id. */
  get(accountId: AccountId, id: DeliveryId): Promise<DeliveryDetail | null> {
    return readDetail(this.db, accountId, id);
  }

  /**
   * A page by its number, newest first, with how many there are in all. One with two filters may have to be looked for, and
   * one that is far is counted to.
   */
  async pageForm(accountId: AccountId, query: PageQuery): Promise<NumberedPage> {
    const read = () => this.db.run((sql) => readPage(sql, accountId, query));
    const isNear = query.page * query.perPage <= NEAR;
    if (isNear && filterCount(query) < 2) return read();
    const page = await this.pageTurns.of(accountId)(read, AbortSignal.timeout(PAGE_TURN_MS));
    if (page === null) throw new DatabaseUnavailable("too many pages are looked for");
    return page;
  }

  /** The page after a position, newest first. */
  cursorForm(accountId: AccountId, query: CursorQuery): Promise<CursorPage> {
    return readAfter(this.db, this.paces, accountId, query);
  }

  /** The deliveries after a position, oldest first; none is ever skipped. */
  iterate(accountId: AccountId, query: IteratorQuery): Promise<IteratorStep> {
    return readNext(this.db, this.paces, accountId, query);
  }
}
