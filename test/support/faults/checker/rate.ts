import { rateWindowOf } from "../../../../src/domain/rate-limit";
import type { Receipt } from "../receipt";
import { type Evidence, receiptsByEndpoint, type Violation } from "./evidence";

/** The time by which a busy receiver may notice its first request late, in milliseconds. */
const LATE_MS = 250;

/** Checks that no window of the rate limit has more attempts than it allows, unless a suspended process sent late. */
export function checkRate({ receipts, faults, ledger }: Evidence): Violation[] {
  const stalls = faults.filter(({ kind }) => kind === "stall");
  return [...receiptsByEndpoint(receipts)].flatMap(([endpoint, own]) => {
    const limit = ledger.limits.get(endpoint)?.rateLimit ?? null;
    if (limit === null) return [];
    const { starts, ms } = rateWindowOf(limit);
    const hurried = own.find((last, i) => {
      const first = own[i - starts];
      const isStalled = stalls.some(({ from, to }) => isWithin(last, from, to));
      return first && last.startedAt - first.startedAt < ms - LATE_MS && !isStalled;
    });
    return hurried
      ? [violation(endpoint, `${hurried.sequence} is one more than ${starts} within ${ms} ms`)]
      : [];
  });
}

function isWithin({ startedAt }: Receipt, from: number, to: number | null): boolean {
  return startedAt >= from && startedAt <= (to ?? Number.POSITIVE_INFINITY) + 1_000 - LATE_MS;
}

function violation(endpoint: string, detail: string): Violation {
  return { guarantee: "within the rate limit", endpoint, detail };
}
