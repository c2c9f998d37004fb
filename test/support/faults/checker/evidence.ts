import type { Fault } from "../journal";
import type { DeliveryRow, Ledger } from "../ledger";
import type { Receipt } from "../receipt";
import type { Send } from "../send";

/** All evidence of a run: the API's answers, the receivers' requests, the rows in Postgres, and the faults. */
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

/** How long a busy receiver may take to notice that a request began or ended. */
export const NOTICE_MS = 1_000;

/** Groups receipts by endpoint, each group in the order in which the requests began. */
export function receiptsByEndpoint(receipts: readonly Receipt[]): Map<string, Receipt[]> {
  return Map.groupBy(
    receipts.toSorted((a, b) => a.opened - b.opened),
    (receipt) => receipt.endpoint,
  );
}

/** Groups the deliveries that have a sequence by endpoint, in the order of their sequences. */
export function rowsByEndpoint(rows: readonly DeliveryRow[]): Map<string, NumberedRow[]> {
  const numbered = rows.filter((row): row is NumberedRow => row.sequence !== null);
  return Map.groupBy(
    numbered.toSorted((a, b) => a.sequence - b.sequence),
    (row) => row.endpoint,
  );
}

/** Returns how many attempts an endpoint may have under way at once. */
export function maxInFlightOf({ ledger }: Evidence, endpoint: string): number {
  return ledger.limits.get(endpoint)?.maxInFlight ?? 1;
}

/** Names the order that a delivery belongs to: its endpoint's, its key's, or its own. */
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

/** Groups receipts or rows by order, and keeps the sequence in which they were given. */
export function byOrder<T extends Placed>(evidence: Evidence, all: readonly T[]): Map<string, T[]> {
  return Map.groupBy(all, (each) => orderIn(evidence, each));
}

export type NumberedRow = DeliveryRow & { sequence: number };

/** Returns true if a fault that may come between a request and its record overlaps this span of time. */
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
