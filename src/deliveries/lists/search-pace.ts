import type { AccountId } from "../../domain/ids";
import { type Clock, systemClock } from "../../runtime/clock";
import type { SearchFilters } from "./search";
import { SearchTurns, type Turn } from "./search-turns";

/**
 * Time limit of a search in milliseconds, including its waits for a turn. Then the page is returned as it is. The
 * running statement is awaited.
 */
const SEARCH_MS = 1_000;
/** Statements faster than QUICK_MS grow, and statements slower than SLOW_MS shrink, in milliseconds. */
const QUICK_MS = 100;
const SLOW_MS = 400;
const FACTOR = 4;

/** ListScan per statement. Sizes differ by `FACTOR`, since each size is a statement of its own. */
export type ScanSizes = Readonly<{ least: number; first: number; most: number }>;

export const SCAN_SIZES: ScanSizes = { least: 2, first: 512, most: 8_192 };
/** Sizes for searches in payloads, which may have a megabyte each: 60 of them take Postgres a second (measured). */
export const PAYLOAD_SCAN_SIZES: ScanSizes = { least: 1, first: 16, most: 64 };

/** Sizes for lists of all accounts: Postgres reads that many of each. */
export const ALL_ACCOUNTS_SCAN_SIZES: ScanSizes = { least: 2, first: 64, most: 1_024 };

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
 * Looks through candidates piece by piece while somebody waits. Adapts each piece's size to the time that the last one
 * took.
 */
export class SearchPace {
  private readonly stopAt: number;
  private readonly stopped = AbortSignal.timeout(SEARCH_MS);
  private scan: number;

  constructor(
    private readonly sizes: ScanSizes,
    private readonly turn: Turn,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {
    this.scan = sizes.first;
    this.stopAt = clock.monotonic() + SEARCH_MS;
  }

  get isOver(): boolean {
    return this.clock.monotonic() >= this.stopAt;
  }

  /** Looks at the next candidates. Null if the search ended before its turn came. */
  piece<T>(look: (scan: number) => Promise<T>): Promise<T | null> {
    return this.turn(() => this.look(look), this.stopped);
  }

  private async look<T>(look: (scan: number) => Promise<T>): Promise<T> {
    const startedAt = this.clock.monotonic();
    const found = await look(this.scan);
    const took = this.clock.monotonic() - startedAt;
    if (took < QUICK_MS) this.scan = Math.min(this.scan * FACTOR, this.sizes.most);
    else if (took > SLOW_MS) this.scan = Math.max(this.scan / FACTOR, this.sizes.least);
    return found;
  }
}
