import type { Ordering } from "../../domain/tuning";
import type { PendingDelivery } from "../delivery";

type Placed = Pick<PendingDelivery, "sequence" | "orderingKey">;

/** The one order of an endpoint that is `ordered`, and that of the deliveries without a key where it is `by_key`. */
export const KEYLESS = "";

/**
 * Names the order that a delivery belongs to. Deliveries of one order are attempted one at a time, in their sequence; orders
 * of one endpoint do not wait for each other. The names are those that Postgres makes in `backlog-statement`.
 */
export function orderOf(ordering: Ordering, { sequence, orderingKey }: Placed): string {
  switch (ordering) {
    case "ordered":
      return KEYLESS;
    case "by_key":
      return orderingKey ?? KEYLESS;
    case "unordered":
      return String(sequence);
  }
}

/** Tells whether two deliveries of an endpoint share an order. */
export function shareOrder(ordering: Ordering, one: Placed, other: Placed): boolean {
  switch (ordering) {
    case "ordered":
      return true;
    case "by_key":
      return one.orderingKey === other.orderingKey;
    case "unordered":
      return one.sequence === other.sequence;
  }
}
