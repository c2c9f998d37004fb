import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import { Loop } from "../runtime/loop";
import { Outage } from "../runtime/outage";
import type { StreamConnection } from "./connection";
import { CHECK_EVERY_MS, ensureStream, type Topology } from "./topology";

/** The failure in a row that the log warns of: a server that restarts is connected before its streams are there. */
const WARN_AT = 4;

const OUTAGE = {
  begun: "could not create or repair the stream: deliveries continue from Postgres",
  over: "the stream is as it should be again",
};
const SHORTAGE = {
  begun: "the stream is smaller than HERMOD_STREAM_MAX_BYTES: give NATS more disk, or lower the setting",
  over: "the stream has its full size",
};

/** Creates the stream, and repairs it while the service runs: servers lose disks, and people change settings. */
export class StreamKeeper {
  private readonly loop: Loop;
  private readonly outage: Outage;
  private readonly shortage: Outage;

  constructor(
    private readonly deps: { connection: StreamConnection; topology: Topology; clock: Clock; log: Log },
  ) {
    this.outage = new Outage(deps.log, OUTAGE, WARN_AT);
    this.shortage = new Outage(deps.log, SHORTAGE);
    this.loop = new Loop({
      clock: deps.clock,
      round: async () => {
        await this.ensure();
        return CHECK_EVERY_MS;
      },
      failed: (error) => {
        // The connection logs its own outage.
        if (deps.connection.live) this.outage.failed(error);
        return CHECK_EVERY_MS;
      },
    });
  }

  start(): void {
    const begin = () => this.loop.start();
    // The connection logs its own failure.
    this.deps.connection.ready.then(begin, () => {});
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async ensure(): Promise<void> {
    const { connection, topology } = this.deps;
    const nats = connection.live;
    if (!nats) return;
    const maxBytes = await ensureStream(await nats.jetstreamManager({ checkAPI: false }), topology);
    this.outage.worked();
    if (maxBytes < topology.maxBytes)
      this.shortage.failed(new Error(`it has ${maxBytes} of ${topology.maxBytes} bytes`));
    else this.shortage.worked();
  }
}
