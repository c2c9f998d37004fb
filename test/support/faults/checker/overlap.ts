import type { Fault } from "../journal";
import type { Receipt } from "../receipt";
import {
  byOrder,
  type Evidence,
  explains,
  maxInFlightOf,
  NOTICE_MS,
  orderIn,
  receiptsByEndpoint,
  type Violation,
} from "./evidence";

/**
 * Checks that attempts of one order never overlap, unless a crash or a stall left one behind, and that an endpoint has at
 * most `max_in_flight` under way.
 */
export function checkOverlap(evidence: Evidence): Violation[] {
  return [...overlapsSeen(evidence), ...overlapsRecorded(evidence)].map(({ endpoint, detail }) => ({
    guarantee: "one at a time",
    endpoint,
    detail,
  }));
}

type Overlap = { endpoint: string; detail: string };

function overlapsSeen(evidence: Evidence): Overlap[] {
  const { receipts, faults } = evidence;
  return [...receiptsByEndpoint(receipts)].flatMap(([endpoint, own]) => {
    const most = maxInFlightOf(evidence, endpoint);
    let open: Receipt[] = [];
    return own.flatMap((receipt) => {
      open = open.filter((each) => each.closed === null || each.closed > receipt.opened);
      const beside = open.filter((each) => !isExcused(each, receipt, faults));
      const shares = (each: Receipt) => orderIn(evidence, each) === orderIn(evidence, receipt);
      const bad = beside.length < most ? beside.filter(shares) : beside;
      open.push(receipt);
      return bad.map((each) => ({
        endpoint,
        detail: `${nameOf(receipt)} came while ${nameOf(each)} was under way`,
      }));
    });
  });
}

// A receiver notices late that its client has gone, so the end of an unanswered request is not exact.
function isExcused(open: Receipt, next: Receipt, faults: readonly Fault[]): boolean {
  const isLateNotice =
    open.status === null && open.endedAt !== null && open.endedAt - next.startedAt < NOTICE_MS;
  return isLateNotice || faults.some((fault) => explains(fault, open.startedAt, next.startedAt));
}

function nameOf({ sequence, attempt }: Receipt): string {
  return `attempt ${attempt} of ${sequence}`;
}

/** Starts and durations are stored in whole milliseconds. */
const ROUNDING_MS = 3;

function overlapsRecorded(evidence: Evidence): Overlap[] {
  const { ledger, faults } = evidence;
  const attempts = ledger.deliveries.flatMap(({ endpoint, orderingKey, sequence, attempts }) =>
    attempts.map((each) => ({ ...each, endpoint, orderingKey, sequence })),
  );
  return [...byOrder(evidence, attempts).values()].flatMap((own) => {
    // An attempt and its record may take less than a millisecond. The next attempt then has the same start.
    const inTime = own.toSorted((a, b) => a.startedAt - b.startedAt || (a.sequence ?? 0) - (b.sequence ?? 0));
    return inTime.flatMap((next, i) => {
      const before = inTime[i - 1];
      if (!before || next.startedAt >= before.startedAt + before.durationMs - ROUNDING_MS) return [];
      if (faults.some((fault) => explains(fault, before.startedAt, next.startedAt))) return [];
      const { endpoint } = next;
      return [{ endpoint, detail: `the records of ${before.sequence} and ${next.sequence} overlap` }];
    });
  });
}
