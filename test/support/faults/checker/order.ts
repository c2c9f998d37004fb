import type { Fault } from "../journal";
import type { Receipt } from "../receipt";
import {
  type Evidence,
  maxInFlightOf,
  NOTICE_MS,
  type NumberedRow,
  receiptsByEndpoint,
  rowsByEndpoint,
  type Violation,
} from "./evidence";

/** Both clocks are the machine's, but the end of an attempt is stored in whole milliseconds. */
const ROUNDING_MS = 5;

/**
 * Nothing older comes after something newer, and nothing comes before what is ahead of it has ended; unless the endpoint
 * asks for no order.
 */
export function checkOrder(evidence: Evidence): Violation[] {
  const { receipts, faults, ledger } = evidence;
  const rows = rowsByEndpoint(ledger.deliveries);
  const ordered = [...receiptsByEndpoint(receipts)].filter(([id]) => maxInFlightOf(evidence, id) === null);
  return ordered.flatMap(([endpoint, own]) =>
    flawsAt(own, rows.get(endpoint) ?? [], faults).map((detail) => ({
      guarantee: "in order",
      endpoint,
      detail,
    })),
  );
}

function flawsAt(
  receipts: readonly Receipt[],
  rows: readonly NumberedRow[],
  faults: readonly Fault[],
): string[] {
  const bySequence = new Map(rows.map((row) => [row.sequence, row]));
  const excuses = new Set(faults.filter((fault) => fault.kind === "stall"));
  const flaws: string[] = [];
  let newest = 0;
  for (const receipt of receipts) {
    if (receipt.sequence < newest && !isExcused(receipt, excuses)) {
      flaws.push(`${receipt.sequence} came after ${newest}`);
    }
    for (let ahead = Math.max(newest, 1); ahead < receipt.sequence; ahead++) {
      const flaw = hurry(bySequence.get(ahead), receipt);
      if (flaw) flaws.push(flaw);
    }
    newest = Math.max(newest, receipt.sequence);
  }
  return flaws;
}

// Signed before the stall and come right after it: once for an endpoint, which has one attempt under way.
function isExcused(receipt: Receipt, stalls: Set<Fault>): boolean {
  for (const stall of stalls) {
    const wasSigned = receipt.signedAt * 1_000 <= stall.from;
    if (!wasSigned || stall.to === null || Math.abs(receipt.startedAt - stall.to) > NOTICE_MS) continue;
    stalls.delete(stall);
    return true;
  }
  return false;
}

function hurry(ahead: NumberedRow | undefined, receipt: Receipt): string | null {
  if (!ahead) return `${receipt.sequence} came, but one ahead of it is not stored`;
  if (ahead.completedAt === null) return `${receipt.sequence} came while ${ahead.sequence} is still pending`;
  const early = ahead.completedAt - receipt.startedAt;
  return early > ROUNDING_MS
    ? `${receipt.sequence} came ${early} ms before ${ahead.sequence} had ended`
    : null;
}
