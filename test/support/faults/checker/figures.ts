import type { Figures, Ledger } from "../ledger";
import type { Evidence, Violation } from "./evidence";

/** Checks that counters and statistics equal the rows, and that the queue is empty. */
export function checkFigures({ ledger }: Evidence): Violation[] {
  const { counters, stats, queued, used, deliveries } = ledger;
  const rows = countRows(ledger);
  const pending = deliveries.filter((row) => row.status === "pending").length;
  const expected: [string, number, number][] = [
    ["deliveries in the queue", queued, 0],
    ["deliveries pending", pending, 0],
    ...compare("counters", counters, rows),
    ["stats: total", stats.total, rows.total],
    ["stats: delivered", stats.delivered, rows.delivered],
    ["stats: failed", stats.failed, rows.failed],
    ["stats: pending", stats.pending, pending],
    ["usage of the month", used, rows.total],
  ];
  return expected
    .filter(([, actual, wanted]) => actual !== wanted)
    .map(([name, actual, wanted]) => ({
      guarantee: "exact figures",
      endpoint: null,
      detail: `${name}: ${actual} instead of ${wanted}`,
    }));
}

function countRows({ deliveries }: Ledger): Figures {
  const count = (status: string) => deliveries.filter((row) => row.status === status).length;
  return {
    total: deliveries.length,
    delivered: count("delivered"),
    failed: count("failed"),
    cancelled: count("cancelled"),
  };
}

function compare(name: string, actual: Figures, wanted: Figures): [string, number, number][] {
  return [
    [`${name}: accepted`, actual.total, wanted.total],
    [`${name}: delivered`, actual.delivered, wanted.delivered],
    [`${name}: failed`, actual.failed, wanted.failed],
    [`${name}: cancelled`, actual.cancelled, wanted.cancelled],
  ];
}
