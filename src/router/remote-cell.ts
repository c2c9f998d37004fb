import type { CellAddress } from "../cells/cell-list";
import type { RouterMeter } from "../metrics/router-meter";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { Outage } from "../runtime/outage";
import { type Forwardable, forward } from "./forwarding";

const OUTAGE = {
  begun: "a cell does not answer: its accounts get 503, others are not affected",
  over: "the cell answers again",
};

export type RemoteCellOptions = Readonly<{
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

  constructor(
    { name, url }: CellAddress,
    private readonly options: RemoteCellOptions,
  ) {
    this.name = name;
    this.url = url;
    this.outage = new Outage(options.log, OUTAGE);
  }

  /** Sends a request, and resolves with the answer's head. Throws `CellAway`. */
  async send(asked: Forwardable): Promise<Response> {
    const { meter, clock } = this.options;
    const startedAt = clock.monotonic();
    try {
      const answered = await forward(asked, this);
      this.outage.worked({ cell: this.name });
      meter?.answered(this.name, answered.status, clock.monotonic() - startedAt);
      return answered;
    } catch (error) {
      // A client that is gone says nothing about the cell.
      if (!asked.signal.aborted) {
        this.outage.failed(error);
        meter?.missed(this.name);
      }
      throw error;
    }
  }
}
