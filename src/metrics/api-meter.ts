import { HttpMeter } from "./http-meter";
import type { Metrics } from "./metrics";

/** Counts the work of an API process. */
export class ApiMeter extends HttpMeter {
  // A plain number that is published at a scrape, because each webhook changes it.
  private acceptances = 0;

  constructor(private readonly metrics: Metrics) {
    super(metrics);
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

  accepted(deliveries: number): void {
    this.acceptances += deliveries;
  }
}
