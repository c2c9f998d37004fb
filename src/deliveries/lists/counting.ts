import type { Clock } from "../../runtime/clock";
import type { DeliverySummary } from "../delivery";
import type { PagePosition } from "./cursor";
import type { CursorPage } from "./cursor-form";
import { AcceptanceHistogram, type StatusCount } from "./histogram";

/** Time limit of a count, milliseconds. */
const COUNT_MS = 1_000;
/** Most deliveries that one statement reads. */
export const COUNT_PAGE = 1_000;

/** Counts of the matching deliveries, newest first, as far as the time allowed. Times are Unix milliseconds. */
export type ListCounts = {
  total: number;
  statuses: StatusCount;
  /** Numbers by the HTTP status of the last attempt; 0 for no response. Without deliveries that were never attempted. */
  answers: Map<number, number>;
  /** The times at which the newest and the oldest were accepted; null if there are none. */
  newestAt: number | null;
  oldestAt: number | null;
  histogram: AcceptanceHistogram;
  /** False if there may be older deliveries that were not counted. */
  isComplete: boolean;
};

/** Counts page by page, and stops after a second. */
export async function countList(
  clock: Pick<Clock, "monotonic">,
  read: (after: PagePosition | undefined) => Promise<CursorPage>,
): Promise<ListCounts> {
  const counts: ListCounts = {
    total: 0,
    statuses: { pending: 0, delivered: 0, failed: 0, cancelled: 0 },
    answers: new Map(),
    newestAt: null,
    oldestAt: null,
    histogram: new AcceptanceHistogram(),
    isComplete: false,
  };
  const stopAt = clock.monotonic() + COUNT_MS;
  for (let after: PagePosition | undefined; ; ) {
    const { data, next } = await read(after);
    for (const each of data) add(counts, each);
    if (next === null) return { ...counts, isComplete: true };
    if (clock.monotonic() >= stopAt) return counts;
    after = next;
  }
}

function add(counts: ListCounts, { status, responseStatus, createdAt }: DeliverySummary): void {
  counts.total++;
  counts.statuses[status]++;
  counts.histogram.add(createdAt, status);
  if (responseStatus !== null)
    counts.answers.set(responseStatus, (counts.answers.get(responseStatus) ?? 0) + 1);
  counts.newestAt ??= createdAt;
  counts.oldestAt = createdAt;
}
