import type { Send } from "../send";
import { type Evidence, type NumberedRow, rowsByEndpoint, type Violation } from "./evidence";

/**
 * Checks that sequences are 1 to n, and that a send that began after another one was answered has the higher sequence.
 * Scheduled deliveries get theirs when they are due.
 */
export function checkNumbering({ sends, ledger }: Evidence): Violation[] {
  const byEndpoint = rowsByEndpoint(ledger.deliveries);
  const gaps = [...byEndpoint].flatMap(([endpoint, rows]) => gapsOf(endpoint, rows));
  const counts = [...ledger.lastSequences].flatMap(([endpoint, last]) => {
    const stored = byEndpoint.get(endpoint)?.length ?? 0;
    return stored === last ? [] : [violation(endpoint, `${stored} stored, but numbered up to ${last}`)];
  });
  return [...gaps, ...counts, ...overtakings(sends, ledger.deliveries)];
}

function gapsOf(endpoint: string, rows: readonly NumberedRow[]): Violation[] {
  const at = rows.findIndex((row, i) => row.sequence !== i + 1);
  const row = rows[at];
  return row ? [violation(endpoint, `${row.id} has sequence ${row.sequence} instead of ${at + 1}`)] : [];
}

function overtakings(sends: readonly Send[], rows: Evidence["ledger"]["deliveries"]): Violation[] {
  const sequenceOf = new Map(rows.map((row) => [row.id, row.sequence]));
  const numbered = sends.flatMap((send) => {
    if (send.isScheduled) return [];
    const sequence = send.outcome.kind === "accepted" ? sequenceOf.get(send.outcome.id) : null;
    return sequence ? [{ ...send, sequence }] : [];
  });
  const byEndpoint = Map.groupBy(numbered, (send) => send.endpoint);
  return [...byEndpoint].flatMap(([endpoint, own]) => overtakenAt(endpoint, own));
}

type NumberedSend = Send & { sequence: number };

function overtakenAt(endpoint: string, sends: readonly NumberedSend[]): Violation[] {
  const answered = sends.toSorted((a, b) => a.endedAt - b.endedAt);
  let next = 0;
  let highest = 0;
  for (const send of sends.toSorted((a, b) => a.startedAt - b.startedAt)) {
    for (let done = answered[next]; done && done.endedAt < send.startedAt; done = answered[++next]) {
      highest = Math.max(highest, done.sequence);
    }
    if (send.sequence < highest) {
      return [violation(endpoint, `${send.sequence} was sent after ${highest} had been answered`)];
    }
  }
  return [];
}

function violation(endpoint: string, detail: string): Violation {
  return { guarantee: "numbered without gaps", endpoint, detail };
}
