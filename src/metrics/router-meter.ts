import type { Counter, Histogram } from "prom-client";
import { HttpMeter } from "./http-meter";
import { DURATIONS, type Metrics } from "./metrics";

/** Why a request gets no answer of its cell: the cell sent none, or too many requests wait for it. */
type Unanswered = "away" | "refused";
/** What becomes of a request to a cell: the class of its status, a 421 with the account's home, or no answer. */
const RESULTS = ["2xx", "3xx", "4xx", "5xx", "misdirected", "away", "refused"];
const MISDIRECTED = 421;

/** Counts the work of a router. */
export class RouterMeter extends HttpMeter {
  private readonly results: Counter<"cell" | "result">;
  private readonly durations: Histogram<"cell">;

  constructor(
    private readonly metrics: Metrics,
    cells: readonly string[],
  ) {
    super(metrics);
    this.results = metrics.counterBy(
      {
        name: "hermod_cell_requests_total",
        help: "Requests to cells, by the class of the answer's status, or misdirected (421), away (no answer) or refused (too many wait).",
      },
      ["cell", "result"],
      cells.flatMap((cell) => RESULTS.map((result) => ({ cell, result }))),
    );
    this.durations = metrics.histogram(
      {
        name: "hermod_cell_duration_seconds",
        help: "From the sending of a request to a cell to the head of its answer.",
      },
      DURATIONS,
      ["cell"],
    );
  }

  answered(cell: string, status: number, ms: number): void {
    const result = status === MISDIRECTED ? "misdirected" : `${Math.floor(status / 100)}xx`;
    this.results.inc({ cell, result });
    this.durations.observe({ cell }, ms / 1_000);
  }

  missed(cell: string, result: Unanswered): void {
    this.results.inc({ cell, result });
  }

  /** Publishes the number of requests at each scrape whose answers are not sent to their end. */
  show(underWay: () => number): void {
    const help = "Requests whose answers are not sent to their end.";
    this.metrics.gauge({ name: "hermod_http_requests_under_way", help }, underWay);
  }
}
