import { type NumberRun, numberRunsOf } from "../cold/number-runs";
import type { ColdCount } from "../domain/cold-block";
import type { DeliveryId } from "../domain/ids";
import type { BlockContents, DeliveryFacts } from "./block-contents";

/** What Postgres keeps of a block, beside its file. */
export type BlockSummary = Readonly<{
  /** Rows of all tables. */
  rowCount: number;
  deliveries: number;
  counts: ColdCount[];
  resent: DeliveryId[];
  /** The numbers of its deliveries. */
  numbers: NumberRun[];
  lastTransaction: string | null;
  lastOfTransaction: DeliveryId | null;
}>;

export function summaryOf({ rows, deliveries, statuses }: BlockContents): BlockSummary {
  const last = deliveries.reduce<DeliveryFacts | null>(
    (a, b) => (a !== null && isBehind(a, b) ? a : b),
    null,
  );
  return {
    rowCount: Object.values(rows).reduce((sum, each) => sum + each.length, 0),
    deliveries: deliveries.length,
    counts: countsOf(deliveries, statuses),
    resent: [...new Set(deliveries.flatMap(({ replayOf }) => replayOf ?? []))],
    numbers: numberRunsOf(deliveries),
    lastTransaction: last?.transaction ?? null,
    lastOfTransaction: last?.id ?? null,
  };
}

/** True if a delivery comes later in the order of iterators. */
function isBehind(a: DeliveryFacts, b: DeliveryFacts): boolean {
  const [first, second] = [BigInt(a.transaction), BigInt(b.transaction)];
  return first > second || (first === second && a.id > b.id);
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
