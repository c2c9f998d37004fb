import { type DeliveryId, toText } from "../domain/ids";
import type { Outcome } from "../domain/outcome";
import type { Log } from "../runtime/log";

export type AttemptLogOptions = Readonly<{
  log: Pick<Log, "info">;
  /** The share of attempts to log, from 0 to 1. Attempts that fail a delivery for good are always logged. */
  share: number;
  /** In [0, 1). */
  random(): number;
}>;

/** Writes a log line for each attempt, or for a share of them, without payloads, headers and URLs. */
export class AttemptLog {
  constructor(private readonly options: AttemptLogOptions) {}

  ended(id: DeliveryId, { accountId, endpointId, attempt, verdict, ...outcome }: Outcome): void {
    const { log, share, random } = this.options;
    if (verdict.kind !== "failed" && random() >= share) return;
    const line = {
      delivery_id: toText("wh", id),
      account_id: toText("acc", accountId),
      endpoint_id: toText("ep", endpointId),
      sequence: outcome.sequence,
      event: outcome.event,
      attempt: outcome.attemptCount + 1,
      result: verdict.kind,
      status: attempt.status,
      error: attempt.error,
      error_detail: attempt.errorDetail ?? null,
      duration_ms: attempt.durationMs,
      retry_after_ms: verdict.kind === "retry" ? verdict.afterMs : null,
    };
    log.info(line, "attempted a delivery");
  }
}
