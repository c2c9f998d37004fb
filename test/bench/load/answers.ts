import { machineNow } from "../clock";
import { type Quantiles, quantiles } from "../figures";

export type LoadReport = {
  /** Answered 201, over the whole time. */
  accepted: number;
  /** Answered otherwise, or not at all. */
  refused: number;
  /** Of those accepted, the ones sent once the load was warm. */
  measured: number;
  /** Answered 201 each second once the load was warm. */
  acceptedPerSecond: number;
  /** Milliseconds to the answer once the load was warm. */
  latency: Quantiles | null;
};

/** Collects answers; those before `warmAt` do not count into rate and latency. */
export class Answers {
  private accepted = 0;
  private refused = 0;
  private readonly latencies: number[] = [];
  private lastAt = 0;

  constructor(private readonly warmAt: number) {}

  note(status: number, from: number): void {
    if (status !== 201) {
      this.refused++;
      return;
    }
    this.accepted++;
    this.lastAt = machineNow();
    if (from >= this.warmAt) this.latencies.push(this.lastAt - from);
  }

  report(): LoadReport {
    const { accepted, refused, latencies } = this;
    const seconds = (this.lastAt - this.warmAt) / 1_000;
    const measured = latencies.length;
    return {
      accepted,
      refused,
      measured,
      acceptedPerSecond: measured / seconds,
      latency: quantiles(latencies),
    };
  }
}
