import type { Fault } from "../journal";
import type { Receipt } from "../receipt";
import {
  type Evidence,
  explains,
  isSuccess,
  maxInFlightOf,
  nameOfReceipt,
  receiptsByEndpoint,
  type Violation,
} from "./evidence";

/** A delivery that was requested again although its attempt had been made, or had succeeded. */
type Repeat = { first: Receipt; again: Receipt };

/** Checks that a fault explains each repeat. One fault explains at most as many as the endpoint had in flight. */
export function checkRepeats(evidence: Evidence): Violation[] {
  const { receipts, faults } = evidence;
  // Copies a fault once for each attempt that may have been under way.
  const excuses = (endpoint: string) =>
    Array.from({ length: maxInFlightOf(evidence, endpoint) }, () =>
      faults.map((each) => ({ ...each })),
    ).flat();
  return [...receiptsByEndpoint(receipts)].flatMap(([endpoint, own]) =>
    unexplained(repeatsOf(own), excuses(endpoint)).map(({ again }) => ({
      guarantee: "repeated only by a crash",
      endpoint,
      detail: `attempt ${again.attempt} of ${again.sequence} (${again.webhookId}) came again for no reason`,
    })),
  );
}

/** Counts the deliveries that were requested more than once. */
export function countRepeats(receipts: readonly Receipt[]): number {
  return [...receiptsByEndpoint(receipts).values()].reduce((sum, own) => sum + repeatsOf(own).length, 0);
}

function repeatsOf(receipts: readonly Receipt[]): Repeat[] {
  const byDelivery = Map.groupBy(receipts, nameOfReceipt);
  return [...byDelivery.values()].flatMap((own) =>
    own.flatMap((again, i) => {
      const first = own[i - 1];
      const isRepeat = first && (again.attempt <= first.attempt || isSuccess(first.status));
      return isRepeat && !isSecondTry(first, again, own[i - 2]) ? [{ first, again }] : [];
    }),
  );
}

/** An attempt sends its request once more if an idle connection dies without a byte of an answer. */
function isSecondTry(first: Receipt, again: Receipt, before: Receipt | undefined): boolean {
  return first.status === null && again.attempt === first.attempt && before?.attempt !== first.attempt;
}

// Each repeat gets a fault of its own (a matching in a bipartite graph, by augmenting paths).
function unexplained(repeats: readonly Repeat[], faults: readonly Fault[]): Repeat[] {
  const repeatOf = new Map<Fault, Repeat>();
  const assign = (repeat: Repeat, tried: Set<Fault>): boolean => {
    for (const fault of faults) {
      if (tried.has(fault) || !explains(fault, repeat.first.startedAt, repeat.again.startedAt)) continue;
      tried.add(fault);
      const rival = repeatOf.get(fault);
      if (rival && !assign(rival, tried)) continue;
      repeatOf.set(fault, repeat);
      return true;
    }
    return false;
  };
  return repeats.filter((repeat) => !assign(repeat, new Set()));
}
