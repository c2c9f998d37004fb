import { type Clock, systemClock } from "../../runtime/clock";
import type { AccountId } from "../../runtime/ids";
import type { SearchFilters } from "./search";
import { SearchTurns, type Turn } from "./search-turns";

/**
 * A search ends after this long, milliseconds, with a page that is not full; the statement under way is waited for, and
 * the time it waited for its turns counts.
 */
const SEARCH_MS = 1_000;
/** Statements are made larger that took less, and smaller that took more, milliseconds. */
const QUICK_MS = 100;
const SLOW_MS = 400;
const FACTOR = 4;

/** Candidates that a statement looks at. `FACTOR` apart: each size that there is makes statements of its own. */
export type ScanSizes = Readonly<{ least: number; first: number; most: number }>;

export const SCAN_SIZES: ScanSizes = { least: 2, first: 512, most: 8_192 };
/** The same when it looks into payloads, which may have a megabyte each: 60 of these take Postgres a second (measured). */
export const PAYLOAD_SCAN_SIZES: ScanSizes = { least: 1, first: 16, most: 64 };

/** The paces of a process's searches. Those through payloads, which are slow, have a line of their own. */
export class SearchPaces {
  constructor(
    private readonly payloads = new SearchTurns(),
    private readonly others = new SearchTurns(),
  ) {}

  of(accountId: AccountId, { payload }: SearchFilters): SearchPace {
    return payload === undefined
      ? new SearchPace(SCAN_SIZES, fromTheSecond(this.others.of(accountId)))
      : new SearchPace(PAYLOAD_SCAN_SIZES, this.payloads.of(accountId));
  }
}

/** The first piece goes at once: with it most are done. */
function fromTheSecond(turn: Turn): Turn {
  let isFirst = true;
  return (work, signal) => {
    if (!isFirst) return turn(work, signal);
    isFirst = false;
    return work();
  };
}

/** How a search through candidates that hardly ever match goes on: piece by piece, for as long as anyone waits for it. */
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

  /** Looks at the next so many candidates; null when its turn did not come before the search is over. */
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
