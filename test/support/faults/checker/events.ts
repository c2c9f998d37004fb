import type { Evidence, Violation } from "./evidence";

/** Checks that all deliveries of an event are stored or none, and that the event is stored as it was sent. */
export function checkEvents(evidence: Evidence): Violation[] {
  return [...parts(evidence), ...lost(evidence)];
}

function parts({ sends, ledger }: Evidence): Violation[] {
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

function lost({ sends, ledger }: Evidence): Violation[] {
  const kept = new Map(ledger.events.map(({ id, data }) => [id, data]));
  const eventOf = new Map(ledger.deliveries.map(({ id, event }) => [id, event]));
  const violation = (endpoint: string, detail: string): Violation => ({
    guarantee: "nothing is lost",
    endpoint,
    detail,
  });
  return sends.flatMap(({ endpoint, eventId, data, outcome }) => {
    if (eventId === undefined) return [];
    if (!kept.has(eventId)) return [violation(endpoint, `${eventId} was answered 201 and is not kept`)];
    const isOther = kept.get(eventId) !== null && kept.get(eventId) !== data;
    if (isOther) return [violation(endpoint, `${eventId} is not what was sent`)];
    const isStrange = outcome.kind === "accepted" && eventOf.get(outcome.id) !== eventId;
    return isStrange ? [violation(endpoint, `${outcome.id} is not of its event ${eventId}`)] : [];
  });
}
