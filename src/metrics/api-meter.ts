import type { Counter } from "prom-client";
import type { Metrics } from "./metrics";

/** Counts the work of an API process. */
export class ApiMeter {
  // Plain numbers that are published at a scrape, because each webhook changes several of them.
  private requests = 0;
  private acceptances = 0;
  private readonly errors: Counter<"status" | "code">;

  constructor(private readonly metrics: Metrics) {
    metrics.total(
      { name: "hermod_http_requests_total", help: "Requests under /v1, whatever their answer." },
      () => this.requests,
    );
    this.errors = metrics.counterBy(
      { name: "hermod_http_errors_total", help: "Answers that are errors, by status and code." },
      ["status", "code"],
      [
        { status: "500", code: "INTERNAL_ERROR" },
        { status: "503", code: "SERVICE_UNAVAILABLE" },
      ],
    );
    metrics.total(
      {
        name: "hermod_deliveries_accepted_total",
        help: "Accepted deliveries, without excluded ones.",
      },
      () => this.acceptances,
    );
  }

  /** Publishes the number of waiting sends at each scrape. */
  show(waiting: () => number): void {
    const help = "Sends and events that wait for a commit.";
    this.metrics.gauge({ name: "hermod_intake_waiting", help }, waiting);
  }

  requested(): void {
    this.requests++;
  }

  refused(status: number, code: string): void {
    this.errors.inc({ status: String(status), code });
  }

  accepted(deliveries: number): void {
    this.acceptances += deliveries;
  }
}
