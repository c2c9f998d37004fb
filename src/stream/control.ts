import type { Msg } from "nats";
import { type EndpointId, isUuid } from "../runtime/ids";
import type { StreamConnection } from "./connection";

const ENDPOINT_CHANGED = "hermod.control.endpoint";
const RELEASED = "hermod.control.released";
const CLAIMED = "hermod.control.claimed";

type ChangeHandler = (partition: number, endpointId: EndpointId) => void;

/** News that is good to have at once and harmless to miss: every reader finds out from Postgres as well. */
export class Control {
  private readonly changeHandlers: ChangeHandler[] = [];

  constructor(private readonly connection: StreamConnection) {}

  /** This process hears of it before this returns, also while NATS is away; the others by NATS. */
  announceEndpointChange(partition: number, endpointId: EndpointId): void {
    for (const handle of this.changeHandlers) handle(partition, endpointId);
    this.publish(ENDPOINT_CHANGED, `${partition} ${endpointId}`);
  }

  onEndpointChanged(handle: ChangeHandler): void {
    this.changeHandlers.push(handle);
    this.subscribe(ENDPOINT_CHANGED, (text) => {
      const [partition = "", id = ""] = text.split(" ");
      if (/^\d+$/.test(partition) && isUuid(id)) handle(Number(partition), id as EndpointId);
    });
  }

  /** News may have been missed until now. */
  onMissed(handle: () => void): void {
    this.connection.onRegained(handle);
  }

  /** Partitions were given back. */
  announceRelease(): void {
    this.publish(RELEASED, "");
  }

  onRelease(handle: () => void): void {
    this.subscribe(RELEASED, handle);
  }

  /** Who owns what may be unknown to those who accept: partitions were taken, or this process is back with NATS. */
  announceClaim(): void {
    this.publish(CLAIMED, "");
  }

  onClaim(handle: () => void): void {
    this.subscribe(CLAIMED, handle);
  }

  private publish(subject: string, text: string): void {
    this.connection.live?.publish(subject, text);
  }

  private subscribe(subject: string, handle: (text: string) => void): void {
    const callback = (error: Error | null, message: Msg) => {
      if (!error) handle(message.string());
    };
    this.connection.ready.then(
      (nats) => nats.subscribe(subject, { callback }),
      () => {},
    );
  }
}
