import type { AttemptRow, DeliveryRow } from "../ledger";
import type { Receipt } from "../receipt";
import { type Evidence, explains, isSuccess, nameOfReceipt, receivedAs, type Violation } from "./evidence";

/** Checks that every request was stored and is signed, that delivered deliveries were received, and that failed ones were not. */
export function checkReception(evidence: Evidence): Violation[] {
  const byDelivery = Map.groupBy(evidence.receipts, nameOfReceipt);
  const rows = new Map(evidence.ledger.deliveries.map((row) => [receivedAs(row), row]));
  return [
    ...evidence.receipts.flatMap((receipt) => flawsOfReceipt(receipt, rows.get(nameOfReceipt(receipt)))),
    ...evidence.ledger.deliveries.flatMap((row) =>
      flawsOfRow(row, byDelivery.get(receivedAs(row)) ?? [], evidence),
    ),
  ];
}

function flawsOfReceipt(receipt: Receipt, row: DeliveryRow | undefined): Violation[] {
  const { endpoint, webhookId } = receipt;
  const flaws: Violation[] = [];
  if (!receipt.signed)
    flaws.push({ guarantee: "signed", endpoint, detail: `${webhookId} has no right signature` });
  if (!row) flaws.push(unlike(endpoint, `${webhookId} was sent and is not stored`));
  else if (isUnlike(row, receipt))
    flaws.push(unlike(endpoint, `${webhookId} was sent otherwise than it is stored`));
  return flaws;
}

function isUnlike(row: DeliveryRow, { endpoint, orderingKey, body }: Receipt): boolean {
  const isElsewhere = row.endpoint !== endpoint || row.orderingKey !== orderingKey;
  return isElsewhere || (row.data !== body && row.data !== null);
}

function flawsOfRow(row: DeliveryRow, receipts: readonly Receipt[], { faults }: Evidence): Violation[] {
  const successes = receipts.filter((receipt) => isSuccess(receipt.status));
  const flaws: string[] = [];
  if (
    row.status === "delivered" &&
    !successes.some((each) => each.attempt === row.attemptCount && each.signed)
  ) {
    flaws.push(`${row.id} counts as delivered by attempt ${row.attemptCount}, which no receiver took`);
  }
  if (row.status === "failed") {
    const taken = successes.find(
      (each) => !faults.some((fault) => explains(fault, each.startedAt, endOf(row))),
    );
    if (taken) flaws.push(`${row.id} counts as failed, but attempt ${taken.attempt} was taken`);
  }
  return [...flaws, ...flawsOfAttempts(row)].map((detail) => unlike(row.endpoint, detail));
}

function endOf(row: DeliveryRow): number {
  return row.completedAt ?? Number.POSITIVE_INFINITY;
}

function flawsOfAttempts({ id, status, attemptCount, attempts }: DeliveryRow): string[] {
  const inOrder = attempts.toSorted((a, b) => a.attempt - b.attempt);
  if (inOrder.length !== attemptCount || inOrder.some((each, i) => each.attempt !== i + 1)) {
    return [`${id} has ${attemptCount} attempts and records of ${inOrder.map((each) => each.attempt)}`];
  }
  const early = inOrder.find((each, i) => hasSucceeded(each) && i < attemptCount - 1);
  if (early) return [`${id} went on after attempt ${early.attempt} had succeeded`];
  const last = inOrder.at(-1);
  const wasTaken = last !== undefined && hasSucceeded(last);
  if (wasTaken === (status === "delivered")) return [];
  return [`${id} is ${status}, but its last attempt ${wasTaken ? "succeeded" : "failed"}`];
}

/** A 2xx counts even if its body broke off, but not if it came before the whole request was read. */
function hasSucceeded({ status, errorDetail }: AttemptRow): boolean {
  return isSuccess(status) && errorDetail !== "request_not_taken";
}

function unlike(endpoint: string, detail: string): Violation {
  return { guarantee: "delivered means received", endpoint, detail };
}
