import type { PlaceInOrder } from "../../cold/blocks";
import type { DeliveryId } from "../../domain/ids";

/** The end of a page. The next page starts before this delivery. */
export type PagePosition = { before: DeliveryId };

/**
 * The position of an iterator: after this delivery, in the order of commits. Without a delivery the id is zeros.
 */
export type IteratorPosition = {
  /** The 64-bit stamp of the transaction that accepted the delivery, decimal. See the function `stamp` in Postgres. */
  transaction: string;
  id: DeliveryId;
  /** A Postgres snapshot of stamps (`xmin:xmax:xip,…`). The iterator has also passed everything that it sees. Null for none. */
  seen: string | null;
};

/** Compares positions, as `sort` does, in the order of iterators. */
export function comparePositions(a: PlaceInOrder, b: PlaceInOrder): number {
  const [first, second] = [BigInt(a.transaction), BigInt(b.transaction)];
  if (first !== second) return first < second ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

/** Sorts before every id. */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000" as DeliveryId;
/** Sorts after every id. */
export const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff" as DeliveryId;
