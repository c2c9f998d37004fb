import { type NumberRun, numberRunsOf } from "../cold/number-runs";
import type { ColdCount } from "../domain/cold-block";
import type { DeliveryId } from "../domain/ids";
import type { BlockContents } from "./block-contents";

/** What Postgres keeps of a block, beside its file. */
export type BlockSummary = Readonly<{
  /** Rows of all tables. */
  rowCount: number;
  deliveries: number;
  counts: ColdCount[];
  resent: DeliveryId[];
  /** The numbers of its deliveries. */
  numbers: NumberRun[];
  /** Ranges with the stamps of its deliveries. */
  stamps: string;
}>;

/** Most ranges in which a block's stamps are noted. */
const MOST_RANGES = 32;

export function summaryOf({ rows, deliveries, statuses }: BlockContents): BlockSummary {
  return {
    rowCount: Object.values(rows).reduce((sum, each) => sum + each.length, 0),
    deliveries: deliveries.length,
    counts: countsOf(deliveries, statuses),
    resent: [...new Set(deliveries.flatMap(({ replayOf }) => replayOf ?? []))],
    numbers: numberRunsOf(deliveries),
    stamps: stampRangesOf(deliveries.map(({ transaction }) => BigInt(transaction))),
  };
}

/** Returns ranges that have all stamps, with the widest gaps between them. */
export function stampRangesOf(stamps: readonly bigint[], most = MOST_RANGES): string {
  const sorted = [...new Set(stamps)].sort((a, b) => (a < b ? -1 : 1));
  const widths = sorted.map((stamp, i) => stamp - (sorted[i - 1] ?? stamp));
  const byWidth = sorted.map((_, i) => i).sort((a, b) => ((widths[a] ?? 0n) > (widths[b] ?? 0n) ? -1 : 1));
  const starts = new Set([0, ...byWidth.slice(0, most - 1)]);
  const firsts = sorted.filter((_, i) => starts.has(i));
  const lasts = sorted.filter((_, i) => i + 1 === sorted.length || starts.has(i + 1));
  return `{${firsts.map((first, i) => `[${first},${lasts[i]}]`).join(",")}}`;
}

function countsOf(deliveries: BlockContents["deliveries"], statuses: BlockContents["statuses"]): ColdCount[] {
  const byEvent = Map.groupBy(deliveries, ({ event }) => event ?? "");
  return [...byEvent].map(([event, all]) => {
    const count = (status: string) => all.filter(({ id }) => statuses.get(id) === status).length;
    return {
      event,
      accepted: all.length,
      delivered: count("delivered"),
      failed: count("failed"),
      cancelled: count("cancelled"),
    };
  });
}
