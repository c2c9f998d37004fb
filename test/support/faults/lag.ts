import type { ReceiptBook } from "./receipt-book";
import type { Send } from "./send";
import { until } from "./until";

/** Returns the milliseconds from each send since `since` to the first request that its receiver got. */
export function lagsOf(sends: readonly Send[], book: ReceiptBook, since: number): number[] {
  // Skips older entries, because this runs every 10 ms. Sends are in the order of `endedAt`, receipts of `startedAt`.
  const lastSends = sends.slice(sends.findLastIndex(({ endedAt }) => endedAt < since) + 1);
  const lastReceipts = book.receipts.slice(
    book.receipts.findLastIndex(({ startedAt }) => startedAt < since) + 1,
  );
  const sentAt = new Map(
    lastSends.flatMap(({ outcome, startedAt }) =>
      outcome.kind === "accepted" && startedAt >= since ? [[outcome.id, startedAt] as const] : [],
    ),
  );
  return lastReceipts.flatMap(({ webhookId, attempt, startedAt }) => {
    const sent = attempt === 1 ? sentAt.get(webhookId) : undefined;
    return sent === undefined ? [] : [startedAt - sent];
  });
}

/** Returns the value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)];
  if (value === undefined) throw new Error("a quantile of nothing");
  return value;
}

/** Resolves once half of the deliveries sent in a while arrive within `mostMs`. Rejects if that does not happen in time. */
export async function speedReturns(
  sends: readonly Send[],
  book: ReceiptBook,
  mostMs: number,
  withinMs: number,
): Promise<void> {
  let lag = Number.POSITIVE_INFINITY;
  const isFast = async () => {
    const since = Date.now();
    await until(() => lagsOf(sends, book, since).length >= 50, { what: "fifty deliveries" });
    lag = quantile(lagsOf(sends, book, since), 0.5);
    return lag <= mostMs;
  };
  await until(isFast, { withinMs, what: () => `deliveries within ${mostMs} ms (they take ${lag} ms)` });
}
