import type { Receipt } from "../receipt";
import { type Evidence, receiptsByEndpoint, type Violation } from "./evidence";

/** A second, less the time that a busy receiver may notice its first request late. */
const WINDOW_MS = 750;

/** Checks that no second has more attempts than the rate limit, unless a suspended process sent late. */
export function checkRate({ receipts, faults, ledger }: Evidence): Violation[] {
  const stalls = faults.filter(({ kind }) => kind === "stall");
  return [...receiptsByEndpoint(receipts)].flatMap(([endpoint, own]) => {
    const limit = ledger.limits.get(endpoint)?.rateLimit ?? Number.POSITIVE_INFINITY;
    const hurried = own.find((last, i) => {
      const first = own[i - limit];
      const isStalled = stalls.some(({ from, to }) => isWithin(last, from, to));
      return first && last.startedAt - first.startedAt < WINDOW_MS && !isStalled;
    });
    return hurried
      ? [violation(endpoint, `${hurried.sequence} is one more than ${limit} within a second`)]
      : [];
  });
}

function isWithin({ startedAt }: Receipt, from: number, to: number | null): boolean {
  return startedAt >= from && startedAt <= (to ?? Number.POSITIVE_INFINITY) + WINDOW_MS;
}

function violation(endpoint: string, detail: string): Violation {
  return { guarantee: "within the rate limit", endpoint, detail };
}
