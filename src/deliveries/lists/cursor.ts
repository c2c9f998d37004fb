import type { DeliveryId } from "../../runtime/ids";

/** Where a page of a list ended: the next one begins before this delivery. */
export type PagePosition = { before: DeliveryId };

/**
 * Where an iterator stands: after this delivery, in the order of commits that are settled. Without a
 * delivery the id is zeros.
 */
export type IteratorPosition = {
  /** The 64-bit identifier of the transaction that accepted the delivery, decimal. */
  transaction: string;
  id: DeliveryId;
  /** A Postgres snapshot (`xmin:xmax:xip,…`): what it sees lies behind the iterator too. Null is none. */
  seen: string | null;
};

/** Zeros, which sort before every identifier. */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000" as DeliveryId;
/** Sorts after every identifier. */
export const AFTER_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff" as DeliveryId;
