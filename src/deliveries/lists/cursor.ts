import type { DeliveryId } from "../../domain/ids";

/** Where a page of a list ended: the next page starts before this delivery. */
export type PagePosition = { before: DeliveryId };

/**
 * The position of an iterator: after this delivery, in the order of settled commits. Without a delivery the id is
 * zeros.
 */
export type IteratorPosition = {
  /** The 64-bit identifier of the transaction that accepted the delivery, decimal. */
  transaction: string;
  id: DeliveryId;
  /** A Postgres snapshot (`xmin:xmax:xip,…`): everything that it sees is behind the iterator too. Null is none. */
  seen: string | null;
};

/** Zeros, which sort before every identifier. */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000" as DeliveryId;
/** Sorts after every identifier. */
export const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff" as DeliveryId;
