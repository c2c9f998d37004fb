import type { Ordering } from "../../domain/tuning";
import type { PendingDelivery } from "../delivery";

/** A lane's request to Postgres. */
export type ReadRequest = Readonly<{
  /** The lane's tail. What follows it is scanned, unless `scans` is false. */
  after: number;
  scans: boolean;
  /** Held orders whose first deliveries are wanted, each from a sequence up to the tail. */
  orders: readonly Readonly<{ order: string; from: number }>[];
  /** Orders that the scan skips, since they are held or have a delivery in flight. */
  passed: readonly string[];
  /** Sequences of deliveries in flight. */
  inFlight: readonly number[];
  /** True if the lane does not know all held orders. Then Postgres decides which retries are due, and what is first of its key. */
  isCrowded: boolean;
}>;

/** An endpoint's pending deliveries at one moment. */
export type Page =
  /** The endpoint is deleted, or belongs to another partition. */
  | Readonly<{ kind: "gone" }>
  | Readonly<{ kind: "inactive" }>
  /** The receiver asked for a rest that lasts so long. */
  | Readonly<{ kind: "resting"; forMs: number }>
  | ActivePage;

export type ActivePage = Readonly<{
  kind: "active";
  ordering: Ordering;
  maxInFlight: number;
  /** Counts how often another process took deliveries out of the endpoint's queue. */
  queueRevision: number;
  /** The last sequence given out. */
  lastSequence: number;
  /** Due retries, if they were asked for by time, and whether there are more. */
  retries: readonly PendingDelivery[];
  hasMoreRetries: boolean;
  /** When the next retry is due, if they were asked for by time; null: none waits. */
  firstRetryInMs: number | null;
  /** True if few retries of a crowded endpoint still wait, so that the lane can know all held orders again. */
  isUncrowded: boolean;
  /** The orders that were asked for. */
  orders: readonly OrderPage[];
  /** The deliveries that the scan found, in sequence. */
  scanned: readonly Found[];
  /** Orders that the scan skipped as requested. */
  passed: readonly string[];
  /** Up to this sequence the scan left nothing out but the skipped orders. */
  scannedTo: number;
}>;

/** The first deliveries of one order, in sequence. */
export type OrderPage = Readonly<{
  order: string;
  found: readonly Found[];
  /** True when there are no others up to the tail. */
  isWhole: boolean;
  /** Up to this sequence the order has nothing else. */
  lookedTo: number;
}>;

/** A pending delivery that a read found. */
export type Found = Readonly<{
  sequence: number;
  orderingKey: string | null;
  /** Null if it waits for its retry, or did not fit into the page. */
  delivery: PendingDelivery | null;
  /** Milliseconds until its retry; null: it may be attempted now. */
  retryInMs: number | null;
}>;
