import type { Fault } from "../journal";
import type { Receipt } from "../receipt";
import {
  byOrder,
  type Evidence,
  NOTICE_MS,
  type NumberedRow,
  receiptsByEndpoint,
  rowsByEndpoint,
  type Violation,
} from "./evidence";

/** Both times come from the same clock, but the end of an attempt is stored in whole milliseconds. */
const ROUNDING_MS = 5;

/** Checks that within an order no delivery comes after a newer one, or before the earlier ones have ended. */
export function checkOrder(evidence: Evidence): Violation[] {
  const { receipts, faults, ledger } = evidence;
  const rows = byOrder(evidence, [...rowsByEndpoint(ledger.deliveries).values()].flat());
  const seen = byOrder(evidence, [...receiptsByEndpoint(receipts).values()].flat());
  const isUnordered = (endpoint: string) => ledger.limits.get(endpoint)?.ordering === "unordered";
  return [...seen].flatMap(([order, own]) => {
    const endpoint = own[0]?.endpoint ?? "";
    if (isUnordered(endpoint)) return [];
    const flaws = flawsAt(own, rows.get(order) ?? [], faults);
    return flaws.map((detail): Violation => ({ guarantee: "in order", endpoint, detail }));
  });
}

function flawsAt(
  receipts: readonly Receipt[],
  rows: readonly NumberedRow[],
  faults: readonly Fault[],
): string[] {
  const excuses = new Set(faults.filter((fault) => fault.kind === "stall"));
  const flaws: string[] = [];
  let newest = 0;
  let next = 0;
  for (const receipt of receipts) {
    if (receipt.sequence < newest && !isExcused(receipt, excuses)) {
      flaws.push(`${receipt.sequence} came after ${newest}`);
    }
    // From the newest attempted row on, since that one may be pending.
    for (let row = rows[next]; row && row.sequence < receipt.sequence; row = rows[++next]) {
      const flaw = row.sequence < newest ? null : hurry(row, receipt);
      if (flaw) flaws.push(flaw);
    }
    newest = Math.max(newest, receipt.sequence);
  }
  return flaws;
}

// A request signed before a stall may arrive right after it: one per order, which has one attempt under way.
function isExcused(receipt: Receipt, stalls: Set<Fault>): boolean {
  for (const stall of stalls) {
    const wasSigned = receipt.signedAt * 1_000 <= stall.from;
    if (!wasSigned || stall.to === null || Math.abs(receipt.startedAt - stall.to) > NOTICE_MS) continue;
    stalls.delete(stall);
    return true;
  }
  return false;
}

function hurry(ahead: NumberedRow, receipt: Receipt): string | null {
  if (ahead.completedAt === null) return `${receipt.sequence} came while ${ahead.sequence} is still pending`;
  const early = ahead.completedAt - receipt.startedAt;
  return early > ROUNDING_MS
    ? `${receipt.sequence} came ${early} ms before ${ahead.sequence} had ended`
    : null;
}
