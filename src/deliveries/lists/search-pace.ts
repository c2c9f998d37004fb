import type { AccountId } from "../../domain/ids";
import { type Clock, systemClock } from "../../runtime/clock";
import type { SearchFilters } from "./search";
import { SearchTurns, type Turn } from "./search-turns";

/** Time that a search takes once it has begun, in milliseconds. Then the page is returned as it is. */
const SEARCH_MS = 250;
/** Longest statement, in milliseconds, at the speed of the last one. */
const PIECE_MS = 125;
/** How long a search waits for its first turn, in milliseconds. */
const TURN_MS = 1_000;

/** Candidates per statement. Sizes differ by powers of `FACTOR`, since each size is a statement of its own. */
export type ScanSizes = Readonly<{ first: number; most: number }>;
const FACTOR = 4;

export const SCAN_SIZES: ScanSizes = { first: 1_024, most: 65_536 };
/** Sizes for searches in payloads, which may have a megabyte each: 60 of them take Postgres a second (measured). */
export const PAYLOAD_SCAN_SIZES: ScanSizes = { first: 16, most: 64 };
/** Sizes for lists of all accounts: Postgres reads that many of each. */
export const ALL_ACCOUNTS_SCAN_SIZES: ScanSizes = { first: 64, most: 1_024 };

/** The paces of a process's searches. Payload searches are slow and take turns apart from the others. */
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

/** Runs the first piece at once, since most searches end with it. */
function fromTheSecond(turn: Turn): Turn {
  let isFirst = true;
  return (work, signal) => {
    if (!isFirst) return turn(work, signal);
    isFirst = false;
    return work();
  };
}

/**
 * Looks through candidates piece by piece while somebody waits. A piece is the largest that fits into the time that
 * remains, at the speed of the last one.
 */
export class SearchPace {
  private stopAt: number | null = null;
  /** Aborts waits for a turn. */
  private stopped = AbortSignal.timeout(TURN_MS);
  /** The next piece, and what it should take, in milliseconds. */
  private scan: number;
  private expectedMs = 0;

  constructor(
    private readonly sizes: ScanSizes,
    private readonly turn: Turn,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {
    this.scan = sizes.first;
  }

  /** True when no further piece fits into the time. */
  get isOver(): boolean {
    return this.stopAt !== null && this.clock.monotonic() + this.expectedMs > this.stopAt;
  }

  /** Looks at the next candidates. Null if the search ended before its turn came. */
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
