import type { Fault } from "../journal";
import type { DeliveryRow, Ledger } from "../ledger";
import type { Receipt } from "../receipt";
import type { Send } from "../send";

/** All that is known of a run: what the API answered, what receivers saw, what Postgres says, what was broken. */
export type Evidence = Readonly<{
  sends: readonly Send[];
  receipts: readonly Receipt[];
  faults: readonly Fault[];
  ledger: Ledger;
}>;

export type Guarantee =
  | "nothing is lost"
  | "all or none"
  | "numbered without gaps"
  | "in order"
  | "one at a time"
  | "within the rate limit"
  | "repeated only by a crash"
  | "delivered means received"
  | "signed"
  | "exact figures";

export type Violation = Readonly<{ guarantee: Guarantee; endpoint: string | null; detail: string }>;

/** How much later than it happened a receiver, busy as it is, may notice something; milliseconds. */
export const NOTICE_MS = 1_000;

/** Receipts by endpoint, each in the order in which the receivers saw them begin. */
export function receiptsByEndpoint(receipts: readonly Receipt[]): Map<string, Receipt[]> {
  return Map.groupBy(
    receipts.toSorted((a, b) => a.opened - b.opened),
    (receipt) => receipt.endpoint,
  );
}

/** Numbered deliveries by endpoint, in their order. */
export function rowsByEndpoint(rows: readonly DeliveryRow[]): Map<string, NumberedRow[]> {
  const numbered = rows.filter((row): row is NumberedRow => row.sequence !== null);
  return Map.groupBy(
    numbered.toSorted((a, b) => a.sequence - b.sequence),
    (row) => row.endpoint,
  );
}

/** How many attempts an endpoint may have under way at once. */
export function maxInFlightOf({ ledger }: Evidence, endpoint: string): number {
  return ledger.limits.get(endpoint)?.maxInFlight ?? 1;
}

/** Names the order that something belongs to: the endpoint, its key, or itself alone. */
export function orderIn({ ledger }: Evidence, placed: Placed): string {
  const { endpoint, orderingKey, sequence } = placed;
  switch (ledger.limits.get(endpoint)?.ordering ?? "ordered") {
    case "ordered":
      return endpoint;
    case "by_key":
      return JSON.stringify([endpoint, orderingKey]);
    case "unordered":
      return JSON.stringify([endpoint, sequence]);
  }
}

type Placed = { endpoint: string; orderingKey: string | null; sequence: number | null };

/** Receipts or rows by their orders, each in the order in which it was given. */
export function byOrder<T extends Placed>(evidence: Evidence, all: readonly T[]): Map<string, T[]> {
  return Map.groupBy(all, (each) => orderIn(evidence, each));
}

export type NumberedRow = DeliveryRow & { sequence: number };

/** True when a fault that may come between a send and its record touches the time from one to the other. */
export function explains(fault: Fault, from: number, to: number): boolean {
  if (fault.kind === "nuisance") return false;
  const end = (fault.to ?? Number.POSITIVE_INFINITY) + NOTICE_MS;
  return fault.from - NOTICE_MS <= to && end >= from;
}

/** Returns a receiver's key of a delivery: a replay has the id of the first delivery and a sequence of its own. */
export function receivedAs({ webhookId, sequence }: DeliveryRow): string {
  return nameOf(webhookId, sequence);
}

/** Returns the key of a received request. */
export function nameOfReceipt({ webhookId, sequence }: Receipt): string {
  return nameOf(webhookId, sequence);
}

function nameOf(webhookId: string, sequence: number | null): string {
  return `${webhookId}/${sequence}`;
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
