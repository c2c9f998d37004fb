import type { Ordering } from "../../domain/tuning";
import type { PendingDelivery } from "../delivery";

/** What a lane asks Postgres for. */
export type ReadRequest = Readonly<{
  /** The lane's tail: what lies behind it is scanned, unless `scans` is false. */
  after: number;
  scans: boolean;
  /** Held orders whose first deliveries are wanted, each from a sequence on and up to the tail. */
  orders: readonly Readonly<{ order: string; from: number }>[];
  /** Orders that the scan passes over: they are held, or have a delivery in flight. */
  passed: readonly string[];
  /** Sequences of deliveries in flight. */
  inFlight: readonly number[];
  /** The lane does not know all held orders: Postgres tells which retries are due, and what is the first of its key. */
  isCrowded: boolean;
}>;

/** What Postgres has for an endpoint, seen at one moment. */
export type Page =
  /** The endpoint is deleted, or belongs to another partition. */
  | Readonly<{ kind: "gone" }>
  | Readonly<{ kind: "inactive" }>
  /** The receiver has asked to be left alone for so long. */
  | Readonly<{ kind: "resting"; forMs: number }>
  | ActivePage;

export type ActivePage = Readonly<{
  kind: "active";
  ordering: Ordering;
  maxInFlight: number;
  /** Counts the times that somebody else took deliveries out of the endpoint's queue. */
  queueRevision: number;
  /** The last sequence given out. */
  lastSequence: number;
  /** Retries that are due, where they are asked for by time, and whether there are more. */
  retries: readonly PendingDelivery[];
  hasMoreRetries: boolean;
  /** When the first retry is due that is not, where they are asked for by time; null: none waits. */
  firstRetryInMs: number | null;
  /** True of an endpoint that was crowded when few retries wait by now: the lane can know all held orders again. */
  isUncrowded: boolean;
  /** For each order that was asked for. */
  orders: readonly OrderPage[];
  /** What the scan found, in sequence. */
  scanned: readonly Found[];
  /** Orders that the scan passed over, as it was asked to. */
  passed: readonly string[];
  /** The scan left nothing out up to this sequence but the orders that it passed over. */
  scannedTo: number;
}>;

/** The first deliveries of one order, in sequence. */
export type OrderPage = Readonly<{
  order: string;
  found: readonly Found[];
  /** True when there are no others up to the tail. */
  isWhole: boolean;
  /** Nothing of the order lies up to this sequence but what was found. */
  lookedTo: number;
}>;

/** A pending delivery that a read came upon. */
export type Found = Readonly<{
  sequence: number;
  orderingKey: string | null;
  /** Null when it waits for its retry, or did not fit into the page. */
  delivery: PendingDelivery | null;
  /** How long its retry has still to wait; null: not at all. */
  retryInMs: number | null;
}>;
