import type { DeliveryStatus } from "../../domain/delivery-status";
import type { Clock } from "../../runtime/clock";
import type { DeliverySummary } from "../delivery";
import type { PagePosition } from "./cursor";
import type { CursorPage } from "./cursor-form";

/** Time limit of a count, milliseconds. */
const COUNT_MS = 1_000;
/** Deliveries that one statement reads. */
export const COUNTED_AT_ONCE = 1_000;

/** What a list's filters select, newest first, as far as the time allowed. Times are Unix milliseconds. */
export type ListCounts = {
  total: number;
  statuses: Record<DeliveryStatus, number>;
  /** By the HTTP status of the last attempt; 0: no HTTP response. Without deliveries that were never attempted. */
  answers: Map<number, number>;
  /** When the newest and the oldest of them were accepted. */
  newestAt: number | null;
  oldestAt: number | null;
  /** False: there may be older ones. */
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
  if (responseStatus !== null)
    counts.answers.set(responseStatus, (counts.answers.get(responseStatus) ?? 0) + 1);
  counts.newestAt ??= createdAt;
  counts.oldestAt = createdAt;
}
