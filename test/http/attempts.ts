import type { Database } from "../../src/db/database";
import { fromText } from "../../src/domain/ids";
import type { HealthChange, Outcome, Verdict } from "../../src/domain/outcome";
import { recordOutcomes } from "../../src/recorder/record";
import { outcomeWith } from "../support/outcome";

type Queued = Pick<Outcome, "partition" | "endpointId" | "accountId" | "sequence" | "attemptCount">;

/** Five days. */
const DISABLE_AFTER_MS = 432_000_000;

export type AttemptResult = {
  status: number;
  error?: string;
  errorDetail?: string;
  location?: string;
  body?: string;
  verdict?: Verdict["kind"];
  health?: HealthChange;
  restMs?: number;
};

const VERDICTS: Record<Verdict["kind"], Verdict> = {
  delivered: { kind: "delivered" },
  failed: { kind: "failed", nextAfterMs: null },
  cancelled: { kind: "cancelled", nextAfterMs: null },
  retry: { kind: "retry", afterMs: 60_000 },
  stop: { kind: "stop" },
};

/** Records an attempt at a pending delivery as a dispatcher would: delivered on 2xx by default. */
export async function recordAttempt(
  db: Database,
  delivery: { id: string; event: string | null },
  result: AttemptResult,
) {
  const queued = await findQueued(db, delivery.id);
  const kind = result.verdict ?? (result.status >= 200 && result.status < 300 ? "delivered" : "retry");
  const outcome = outcomeWith({
    ...queued,
    event: delivery.event,
    attempt: {
      status: result.status,
      error: result.error ?? null,
      errorDetail: result.errorDetail ?? null,
      location: result.location ?? null,
      startedAt: Date.now(),
      durationMs: 12,
      responseBody: result.body ?? null,
    },
    verdict: VERDICTS[kind],
    health: result.health ?? "none",
    restMs: result.restMs ?? null,
  });
  const [answer] = await db.run((sql) => recordOutcomes(sql, [outcome], DISABLE_AFTER_MS));
  if (!answer?.applied) throw new Error("the attempt was not recorded");
}

async function findQueued(db: Database, text: string): Promise<Queued> {
  const rows = await db.run(
    (sql) => sql<Queued[]>`
      select partition, endpoint_id as "endpointId", account_id as "accountId", sequence, attempt_count as "attemptCount"
      from queue where delivery_id = ${fromText("wh", text)}`,
  );
  const [row] = rows;
  if (!row) throw new Error(`${text} is not pending`);
  return row;
}
