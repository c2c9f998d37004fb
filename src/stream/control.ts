import type { NatsConnection } from "nats";
import { type EndpointId, isUuid } from "../domain/ids";
import type { QueueKey } from "../domain/partition";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";
import type { StreamConnection } from "./connection";
import { FLOOD_REST_MS, type MessageSigner, Refusals } from "./signer";

const ENDPOINT_CHANGED = "hermod.control.endpoint";
const RELEASED = "hermod.control.released";

type ChangeHandler = (queue: QueueKey) => void;

export type ControlOptions = Readonly<{
  connection: StreamConnection;
  signer: MessageSigner;
  clock: Clock;
  log: Log;
}>;

/** Sends notices between processes. A lost notice only delays its readers, since Postgres holds the same facts. */
export class Control {
  private readonly changeHandlers: ChangeHandler[] = [];
  private readonly missedHandlers: (() => void)[] = [];
  private readonly refusals: Refusals;

  constructor(private readonly options: ControlOptions) {
    this.refusals = new Refusals(options);
    options.connection.onRegained(() => this.missed());
  }

  /** Calls this process' handlers before it returns, and reaches other processes by NATS. */
  notifyChange(queue: QueueKey): void {
    for (const handle of this.changeHandlers) handle(queue);
    this.publish(ENDPOINT_CHANGED, `${queue.partition} ${queue.endpointId}`);
  }

  /** Calls `handle` when an endpoint of any account changes, in this process or another. */
  onEndpointChanged(handle: ChangeHandler): void {
    this.changeHandlers.push(handle);
    this.subscribe(ENDPOINT_CHANGED, (text) => {
      const [partition = "", id = ""] = text.split(" ");
      if (/^\d+$/.test(partition) && isUuid(id))
        handle({ partition: Number(partition), endpointId: id as EndpointId });
    });
  }

  /** Calls `handle` whenever notices may have been missed. */
  onMissed(handle: () => void): void {
    this.missedHandlers.push(handle);
  }

  /** Notifies the other dispatchers that partitions are free. */
  notifyRelease(): void {
    this.publish(RELEASED, "");
  }

  /** Calls `handle` when another dispatcher releases partitions. */
  onRelease(handle: () => void): void {
    this.subscribe(RELEASED, handle);
  }

  private publish(subject: string, text: string): void {
    const { connection, signer } = this.options;
    connection.live?.publish(subject, signer.sign(subject, Buffer.from(text)));
  }

  private subscribe(subject: string, handle: (text: string) => void): void {
    const { connection } = this.options;
    connection.ready.then(
      (nats) => {
        // The connection may already be closed, by a start that failed.
        if (!connection.isClosed) this.listen(nats, subject, handle);
      },
      () => {},
    );
  }

  private listen(nats: NatsConnection, subject: string, handle: (text: string) => void): void {
    const { signer } = this.options;
    const subscription = nats.subscribe(subject, {
      callback: (error, { data }) => {
        if (error) return;
        const verdict = signer.verify(subject, data);
        if (verdict.kind === "genuine") handle(Buffer.from(verdict.body).toString());
        else if (this.refusals.note(subject, verdict.reason)) {
          subscription.unsubscribe();
          this.listenLater(() => this.listen(nats, subject, handle));
        }
      },
    });
  }

  /** Subscribes again after a pause. Otherwise a flood on the subject would use all of the thread's time. */
  private listenLater(listen: () => void): void {
    this.options.clock.after(FLOOD_REST_MS, () => {
      if (this.options.connection.isClosed) return;
      listen();
      this.missed();
    });
  }

  private missed(): void {
    for (const handle of this.missedHandlers) handle();
  }
}
