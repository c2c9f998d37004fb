import type { Evidence } from "../support/faults/checker/evidence";
import type { Fault } from "../support/faults/journal";
import type { DeliveryRow, EndpointLimits, EventRow } from "../support/faults/ledger";
import type { Receipt } from "../support/faults/receipt";
import type { Send } from "../support/faults/send";

/**
 * A run of three deliveries to each of two endpoints, all accepted at the first attempt. Tests plant defects into a copy.
 */
export type Run = {
  sends: Send[];
  receipts: Receipt[];
  faults: Fault[];
  rows: DeliveryRow[];
  events: EventRow[];
  lastSequences: Map<string, number>;
  limits: Map<string, EndpointLimits>;
};

export const START = 1_000_000;
const ENDPOINTS = ["ep_a", "ep_b"];
/** Milliseconds between two deliveries of an endpoint, and the duration of an attempt. */
export const STEP = 5_000;
const TOOK = 10;
/** The ordering key of all deliveries. */
const KEY = "customer-1";

export function soundRun(): Run {
  const run: Run = {
    sends: [],
    receipts: [],
    faults: [],
    rows: [],
    events: [],
    lastSequences: new Map(),
    limits: new Map(),
  };
  for (const sequence of [1, 2, 3]) for (const endpoint of ENDPOINTS) addDelivery(run, endpoint, sequence);
  for (const endpoint of ENDPOINTS) run.lastSequences.set(endpoint, 3);
  return run;
}

export function addDelivery(run: Run, endpoint: string, sequence: number): void {
  const [id, data] = [`wh_${endpoint}${sequence}`, `{"marker":"${endpoint}${sequence}"}`];
  const at = START + sequence * STEP;
  run.sends.push({
    marker: `${endpoint}${sequence}`,
    endpoint,
    orderingKey: KEY,
    data,
    startedAt: at - 20,
    endedAt: at - 15,
    outcome: { kind: "accepted", id },
  });
  run.receipts.push(receiptOf(endpoint, sequence, run.receipts.length * 2 + 1));
  run.rows.push({
    id,
    webhookId: id,
    event: null,
    endpoint,
    orderingKey: KEY,
    replayOf: null,
    sequence,
    data,
    status: "delivered",
    attemptCount: 1,
    completedAt: at + TOOK,
    attempts: [{ attempt: 1, status: 200, error: null, errorDetail: null, startedAt: at, durationMs: TOOK }],
  });
}

function receiptOf(endpoint: string, sequence: number, opened: number): Receipt {
  const startedAt = START + sequence * STEP;
  return {
    endpoint,
    webhookId: `wh_${endpoint}${sequence}`,
    sequence,
    attempt: 1,
    orderingKey: KEY,
    body: `{"marker":"${endpoint}${sequence}"}`,
    signed: true,
    signedAt: Math.floor(startedAt / 1_000),
    startedAt,
    endedAt: startedAt + TOOK,
    opened,
    closed: opened + 1,
    status: 200,
  };
}

/** Returns the evidence, with figures counted from its rows. */
export function evidenceOf(run: Run): Evidence {
  const count = (status: string) => run.rows.filter((row) => row.status === status).length;
  const figures = { total: run.rows.length, delivered: count("delivered"), failed: count("failed") };
  return {
    sends: run.sends,
    receipts: run.receipts,
    faults: run.faults,
    ledger: {
      deliveries: run.rows,
      events: run.events,
      lastSequences: run.lastSequences,
      limits: run.limits,
      queued: 0,
      counters: { ...figures, cancelled: count("cancelled") },
      stats: { ...figures, pending: 0 },
      used: run.rows.length,
    },
  };
}
