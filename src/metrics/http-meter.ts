import type { Counter } from "prom-client";
import type { Metrics } from "./metrics";

/** Counts the requests of a process with an HTTP port, and its own refusals. */
export class HttpMeter {
  // A plain number that is published at a scrape, because each request changes it.
  private requests = 0;
  private readonly errors: Counter<"status" | "code">;

  constructor(metrics: Metrics) {
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
  }

  requested(): void {
    this.requests++;
  }

  refused(status: number, code: string): void {
    this.errors.inc({ status: String(status), code });
  }
}
