import type { Shortage } from "../attempt/exchange";
import { type DeliveryId, toText } from "../domain/ids";
import type { Outcome } from "../domain/outcome";
import { spanFields, type Traceparent } from "../domain/traceparent";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";

export type AttemptLogOptions = Readonly<{
  log: Pick<Log, "info">;
  /** The share of attempts to log, from 0 to 1. Attempts that fail a delivery for good, or stop its endpoint, are always logged. */
  share: number;
  /** In [0, 1). */
  random(): number;
}>;

/** Logs each attempt, or a share of them, without payloads, headers and URLs. */
export class AttemptLog {
  constructor(private readonly options: AttemptLogOptions) {}

  /** `traceparent` is the attempt's place in its trace; null if it is not traced. `batchSize`: the deliveries of the request. */
  ended(id: DeliveryId, traceparent: Traceparent | null, ended: Outcome, batchSize = 1): void {
    const { accountId, endpointId, attempt, verdict, ...outcome } = ended;
    const { log, share, random } = this.options;
    const isAlwaysLogged = verdict.kind === "failed" || verdict.kind === "stop";
    if (!isAlwaysLogged && random() >= share) return;
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
      error_detail: attempt.errorDetail,
      duration_ms: attempt.durationMs,
      retry_after_ms: verdict.kind === "retry" ? verdict.afterMs : null,
      ...(batchSize === 1 ? {} : { batch_size: batchSize }),
      ...spanFields(traceparent),
    };
    log.info(line, "attempted a delivery");
  }
}

/** Least milliseconds between two lines about the same shortage. */
const SHORTAGE_EVERY_MS = 60_000;

const SHORTAGE_LINES: Readonly<Record<Shortage, string>> = {
  files:
    "no connection to receivers: too many open files; deliveries stay pending and are tried again within 2 s; " +
    "raise the limit on open files (ulimit -n) or lower HERMOD_MAX_IN_FLIGHT",
  memory:
    "no connection to receivers: the kernel has no memory for sockets; deliveries stay pending and are tried again within " +
    "2 s; give the machine more memory, raise net.ipv4.tcp_mem or lower HERMOD_MAX_IN_FLIGHT",
  ports:
    "no connection to receivers: no local port is free; deliveries stay pending and are tried again within 2 s; " +
    "widen net.ipv4.ip_local_port_range or lower HERMOD_MAX_IN_FLIGHT",
};

/** Logs a lack of resources at most once a minute, with the number of attempts that could not be made since. */
export class ShortageLog {
  private readonly seen = new Map<Shortage, { loggedAt: number; attempts: number }>();

  constructor(
    private readonly log: Pick<Log, "error">,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  note(shortage: Shortage): void {
    const now = this.clock.monotonic();
    const seen = this.seen.get(shortage) ?? { loggedAt: Number.NEGATIVE_INFINITY, attempts: 0 };
    this.seen.set(shortage, seen);
    seen.attempts++;
    if (now - seen.loggedAt < SHORTAGE_EVERY_MS) return;
    this.log.error({ attempts: seen.attempts }, SHORTAGE_LINES[shortage]);
    seen.loggedAt = now;
    seen.attempts = 0;
  }
}
