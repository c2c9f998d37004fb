import type { Counter } from "prom-client";
import type { Metrics } from "./metrics";

/** What an API process counts. */
export class ApiMeter {
  private readonly requests: Counter;
  private readonly errors: Counter<"status" | "code">;
  private readonly acceptances: Counter;

  constructor(private readonly metrics: Metrics) {
    this.requests = metrics.counter({
      name: "hermod_http_requests_total",
      help: "Requests under /v1, whatever their answer.",
    });
    this.errors = metrics.counterBy(
      { name: "hermod_http_errors_total", help: "Answers that are errors, by status and code." },
      ["status", "code"],
      [
        { status: "500", code: "INTERNAL_ERROR" },
        { status: "503", code: "SERVICE_UNAVAILABLE" },
      ],
    );
    this.acceptances = metrics.counter({
      name: "hermod_deliveries_accepted_total",
      help: "Deliveries that were accepted, but for those that a filter excludes.",
    });
  }

  /** Has it told at each scrape how many wait. */
  show(waiting: () => number): void {
    const help = "Sends and events that wait for a commit.";
    this.metrics.gauge({ name: "hermod_intake_waiting", help }, waiting);
  }

  requested(): void {
    this.requests.inc();
  }

  refused(status: number, code: string): void {
    this.errors.inc({ status: String(status), code });
  }

  accepted(deliveries: number): void {
    this.acceptances.inc(deliveries);
  }
}
