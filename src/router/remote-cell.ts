import type { CellAddress } from "../cells/cell-list";
import type { RouterMeter } from "../metrics/router-meter";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { Outage } from "../runtime/outage";
import { CellAway, type Forwardable, forward, HEAD_SECONDS } from "./forwarding";

const OUTAGE = {
  begun: "a cell does not answer: its accounts get 503, others are not affected",
  over: "the cell answers again",
};

/** The share of a router's connections whose requests may wait for one cell: others keep theirs while a cell hangs. */
const WAITING_SHARE = 1 / 4;

/** Returns the number of requests that may wait for the answer of one cell. */
export function mostWaiting(connections: number): number {
  return Math.max(1, Math.floor(connections * WAITING_SHARE));
}

export type RemoteCellOptions = Readonly<{
  mostWaiting: number;
  /** Null to measure nothing. */
  meter: Pick<RouterMeter, "answered" | "missed"> | null;
  clock: Clock;
  log: Log;
}>;

/** A cell as a router reaches it. Measures its answers, and logs when they stop and when they come again. */
export class RemoteCell implements CellAddress {
  readonly name: string;
  readonly url: string;
  private readonly outage: Outage;
  private waiting = 0;

  constructor(
    { name, url }: CellAddress,
    private readonly options: RemoteCellOptions,
  ) {
    this.name = name;
    this.url = url;
    this.outage = new Outage(options.log, OUTAGE);
  }

  /** Sends a request, and resolves with the answer's head. Throws `CellAway`, also if too many requests wait for the cell. */
  async send(asked: Forwardable, headMs = HEAD_SECONDS * 1_000): Promise<Response> {
    const { meter, clock } = this.options;
    if (this.waiting >= this.options.mostWaiting) {
      meter?.missed(this.name, "refused");
      throw new CellAway(this.name, { isSent: false, isOutage: false });
    }
    this.waiting++;
    const startedAt = clock.monotonic();
    try {
      const answered = await forward(asked, this, { headMs, clock });
      this.outage.worked({ cell: this.name });
      meter?.answered(this.name, answered.status, clock.monotonic() - startedAt);
      return answered;
    } catch (error) {
      if (error instanceof CellAway && error.isOutage) {
        this.outage.failed(error);
        meter?.missed(this.name, "away");
      }
      throw error;
    } finally {
      this.waiting--;
    }
  }
}
