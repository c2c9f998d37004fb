import type { Evidence, Violation } from "./evidence";

/** Of an event that went to several endpoints, all deliveries are stored or none. */
export function checkEvents({ sends, ledger }: Evidence): Violation[] {
  const stored = new Set(ledger.deliveries.map(({ endpoint, data }) => `${endpoint} ${data}`));
  const byEvent = Map.groupBy(
    sends.filter((send) => send.event !== undefined),
    (send) => send.event,
  );
  return [...byEvent].flatMap(([event, own]) => {
    const missing = own.filter(({ endpoint, data }) => !stored.has(`${endpoint} ${data}`));
    if (missing.length === 0 || missing.length === own.length) return [];
    const detail = `of event ${event}, ${missing.length} of ${own.length} deliveries are missing`;
    return [{ guarantee: "all or none", endpoint: missing[0]?.endpoint ?? null, detail }];
  });
}
