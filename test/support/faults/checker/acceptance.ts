import type { DeliveryRow } from "../ledger";
import type { Send } from "../send";
import type { Evidence, Violation } from "./evidence";

/**
 * Checks that a send answered 201 is stored as it was sent, that a refused one is not stored, and that nothing is stored
 * twice or invented. A replay has the content of its first delivery.
 */
export function checkAcceptance({ sends, ledger }: Evidence): Violation[] {
  const byId = new Map(ledger.deliveries.map((row) => [row.id, row]));
  const firsts = ledger.deliveries.filter((row) => row.replayOf === null);
  const byContent = Map.groupBy(firsts, contentOf);
  const sent = new Set(sends.map(contentOf));
  const invented = firsts.filter((row) => row.data !== null && !sent.has(contentOf(row)));
  const strange = ledger.deliveries.filter(
    (row) => row.replayOf !== null && !isCopy(row, byId.get(row.replayOf)),
  );
  return [
    ...sends.flatMap((send) => flawsOf(send, byId, byContent.get(contentOf(send)) ?? [])),
    ...invented.map((row) => violation(row.endpoint, `${row.id} is stored, but nobody sent it`)),
    ...strange.map((row) => violation(row.endpoint, `${row.id} is not what ${row.replayOf} is`)),
  ];
}

function contentOf({ endpoint, data }: { endpoint: string; data: string | null }): string {
  return `${endpoint} ${data}`;
}

function isCopy(row: DeliveryRow, first: DeliveryRow | undefined): boolean {
  const isAlike = first?.endpoint === row.endpoint && first.orderingKey === row.orderingKey;
  return first?.replayOf === null && isAlike && first.data === row.data;
}

function flawsOf(send: Send, byId: Map<string, DeliveryRow>, stored: readonly DeliveryRow[]): Violation[] {
  const { marker, outcome, endpoint, orderingKey, data } = send;
  const flaws: string[] = [];
  if (stored.length > 1) flaws.push(`send ${marker} is stored ${stored.length} times`);
  if (outcome.kind === "accepted") {
    const row = byId.get(outcome.id);
    if (!row) flaws.push(`${outcome.id} was answered 201 and is not stored`);
    else if (
      (row.data !== null && row.data !== data) ||
      row.endpoint !== endpoint ||
      row.orderingKey !== orderingKey
    )
      flaws.push(`${outcome.id} is not what was sent`);
  }
  // From 500 on the outcome is unknown: the commit may have come after the answer.
  if (outcome.kind === "refused" && outcome.status < 500 && stored.length > 0) {
    flaws.push(`send ${marker} was answered ${outcome.status} and is stored`);
  }
  return flaws.map((detail) => violation(endpoint, detail));
}

function violation(endpoint: string, detail: string): Violation {
  return { guarantee: "nothing is lost", endpoint, detail };
}
