import type { AccountId } from "../../domain/ids";
import { type Clock, systemClock } from "../../runtime/clock";
import type { SearchFilters } from "./search";
import { type SearchTurn, SearchTurns } from "./search-turns";

/** A search returns the page so far after this time from its first statement. */
export const SEARCH_MS = 250;
/** Longest expected time of a statement, by the speed of the last one. */
const PIECE_MS = 125;
/** A search waits for its first turn for at most this long. */
export const TURN_MS = 1_000;

/** Numbers of candidates per statement. Sizes differ by powers of `FACTOR`: each size is another prepared statement. */
export type ScanSizes = Readonly<{ first: number; most: number }>;
const FACTOR = 4;

export const SCAN_SIZES: ScanSizes = { first: 1_024, most: 65_536 };
/** Sizes for searches in payloads. A payload may have 1 MiB, and 60 of these take Postgres a second (measured). */
export const PAYLOAD_SCAN_SIZES: ScanSizes = { first: 16, most: 64 };
/** Sizes for lists of all accounts. Postgres reads this many candidates of each account. */
export const ALL_ACCOUNTS_SCAN_SIZES: ScanSizes = { first: 64, most: 1_024 };

/** The paces of a process's searches. Searches in payloads are slow, so they take turns separately. */
export class SearchPaces {
  constructor(
    private readonly payloads = new SearchTurns(),
    private readonly others = new SearchTurns(),
  ) {}

  of(accountId: AccountId, { payload }: SearchFilters, sizes = SCAN_SIZES): SearchPace {
    return payload === undefined
      ? new SearchPace(sizes, fromTheSecond(this.others.of(accountId)))
      : new SearchPace(PAYLOAD_SCAN_SIZES, this.payloads.of(accountId));
  }
}

/** Returns a turn that runs the first piece at once, since most searches end with it. */
function fromTheSecond(turn: SearchTurn): SearchTurn {
  let isFirst = true;
  return (work, signal) => {
    if (!isFirst) return turn(work, signal);
    isFirst = false;
    return work();
  };
}

/**
 * Searches candidates piece by piece while a client waits. Each piece is the largest that fits into the remaining time, by the
 * speed of the last piece.
 */
export class SearchPace {
  private stopAt: number | null = null;
  /** Aborts waits for a turn. */
  private stopped = AbortSignal.timeout(TURN_MS);
  /** The size of the next piece, and its expected time. */
  private scan: number;
  private expectedMs = 0;

  constructor(
    private readonly sizes: ScanSizes,
    private readonly turn: SearchTurn,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {
    this.scan = sizes.first;
  }

  /** True if no further piece fits into the time. */
  get isOver(): boolean {
    return this.stopAt !== null && this.clock.monotonic() + this.expectedMs > this.stopAt;
  }

  /** Reads the next candidates. Resolves to null if the search ended before its turn came. */
  piece<T>(look: (scan: number) => Promise<T>): Promise<T | null> {
    return this.turn(() => this.look(look), this.stopped);
  }

  private async look<T>(look: (scan: number) => Promise<T>): Promise<T> {
    const { scan } = this;
    const startedAt = this.clock.monotonic();
    if (this.stopAt === null) {
      this.stopAt = startedAt + SEARCH_MS;
      this.stopped = AbortSignal.timeout(SEARCH_MS);
    }
    const found = await look(scan);
    const now = this.clock.monotonic();
    const msOfOne = Math.max(now - startedAt, 1) / scan;
    this.scan = this.sizeFor(Math.min(this.stopAt - now, PIECE_MS) / msOfOne, scan);
    this.expectedMs = this.scan * msOfOne;
    return found;
  }

  /**
   * Returns the largest size up to `count`. Not much less than `last`: a statement costs something however little it looks
   * at.
   */
  private sizeFor(count: number, last: number): number {
    const least = Math.max(1, last / FACTOR);
    let size = this.sizes.most;
    while (size > count && size > least) size /= FACTOR;
    return size;
  }
}
