import type { Histogram } from "prom-client";
import { EXCHANGE_ERRORS, type Exchange } from "../attempt/exchange";
import type { Outcome, Recorded } from "../domain/outcome";
import type { Metrics } from "./metrics";
import { DELAYS, DURATIONS } from "./metrics";

const DURATION = "hermod_attempt_duration_seconds";
const DELAY = "hermod_first_attempt_delay_seconds";

/** The usual results of attempts. An answer may have another status. */
const RESULTS = ["2xx", "3xx", "4xx", "5xx", ...EXCHANGE_ERRORS];

/** The state of a dispatcher at a moment. */
export type DispatchFigures = Readonly<{
  partitions: number;
  /** Number of endpoints with an actor. */
  endpoints: number;
  /** Number of endpoints with work that was due at the last sweep. */
  due: number;
  attemptsUnderWay: number;
  /** Number of attempts that wait for a slot (`HERMOD_MAX_IN_FLIGHT`, or those for e-mail), or for memory for a large payload. */
  attemptsWaiting: number;
  outcomesWaiting: number;
}>;

/** Counts the work of a dispatcher. */
export class DispatchMeter {
  // Plain numbers that are published at a scrape, because each webhook changes several of them.
  private readonly attempts = new Map<string, number>(RESULTS.map((result) => [result, 0]));
  private readonly ended = { delivered: 0, failed: 0 };
  private refused = 0;
  private readonly durations: Histogram;
  private readonly delays: Histogram;

  constructor(private readonly metrics: Metrics) {
    metrics.totalBy(
      {
        name: "hermod_attempts_total",
        help: "Attempts, by the class of their answer's status, or by their error.",
      },
      "result",
      () => this.attempts,
    );
    this.durations = metrics.histogram(
      { name: DURATION, help: "From the look-up of the address to the answer." },
      DURATIONS,
    );
    this.delays = metrics.histogram(
      {
        name: DELAY,
        help: "From a delivery's acceptance to its first attempt, including the wait for deliveries in front of it.",
      },
      DELAYS,
    );
    metrics.totalBy(
      { name: "hermod_deliveries_ended_total", help: "Deliveries that were delivered, or failed for good." },
      "status",
      () => new Map(Object.entries(this.ended)),
    );
    metrics.total(
      {
        name: "hermod_outcomes_refused_total",
        help: "Outcomes that Postgres refused, since the delivery had ended or another dispatcher had it.",
      },
      () => this.refused,
    );
  }

  /** Counts an attempt. `acceptedAt` is Unix milliseconds for a first attempt, else null. `traceparent` is null if untraced. */
  attempted(exchange: Exchange, acceptedAt: number | null, traceparent: string | null): void {
    const { startedAt, durationMs } = exchange;
    const endedAt = startedAt + durationMs;
    const result = resultOf(exchange);
    this.attempts.set(result, (this.attempts.get(result) ?? 0) + 1);
    const [duration, delay] = [
      durationMs / 1_000,
      // Not negative, although clocks differ a little.
      acceptedAt === null ? null : Math.max(0, startedAt - acceptedAt) / 1_000,
    ];
    this.durations.observe(duration);
    if (delay !== null) this.delays.observe(delay);
    if (traceparent === null) return;
    const { exemplars } = this.metrics;
    exemplars.note(DURATION, DURATIONS, duration, traceparent, endedAt);
    if (delay !== null) exemplars.note(DELAY, DELAYS, delay, traceparent, endedAt);
  }

  recorded(outcomes: readonly Outcome[], answers: readonly Recorded[]): void {
    outcomes.forEach(({ verdict: { kind } }, i) => {
      if (answers[i]?.applied !== true) this.refused++;
      else if (kind === "delivered" || kind === "failed") this.ended[kind]++;
    });
  }

  /** Publishes the figures at each scrape. */
  show(read: () => DispatchFigures): void {
    const show = (name: string, help: string, figure: keyof DispatchFigures) =>
      this.metrics.gauge({ name, help }, () => read()[figure]);
    show("hermod_partitions", "Partitions that this process has.", "partitions");
    show("hermod_actors", "Endpoints that this process has in memory, since they have work.", "endpoints");
    show("hermod_endpoints_due", "Endpoints with work that was due when the queues were last swept.", "due");
    show("hermod_attempts_under_way", "Attempts under way.", "attemptsUnderWay");
    show(
      "hermod_attempts_waiting",
      "Attempts that wait for a slot, or for memory for a large payload.",
      "attemptsWaiting",
    );
    show("hermod_outcomes_waiting", "Outcomes that wait to be recorded.", "outcomesWaiting");
  }
}

/** Labels a result: `2xx` to `9xx`, or the error of a failed attempt, even if a status came before it. */
function resultOf({ acknowledged, error, status }: Exchange): string {
  return error === null || acknowledged ? `${Math.floor(status / 100)}xx` : error;
}
