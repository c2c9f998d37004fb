import { BoundedMap } from "../../runtime/bounded-map";
import type { Exchange } from "../exchange";

/** How long an endpoint is expected to hold its slot. */
export type ReceiverSpeed = "slow" | "new" | "prompt";

/** An exchange of this many milliseconds is slow. */
const SLOW_MS = 1_000;
const MAX_KNOWN = 65_536;

/** Remembers how long each endpoint's last exchange took: an endpoint that hung will hang again, as a rule. */
export class ReceiverSpeeds {
  private readonly known = new BoundedMap<string, "slow" | "prompt">(MAX_KNOWN);

  /** An unknown endpoint is slow if its last attempt failed. Otherwise, after a start in an outage, all would be new. */
  of(endpoint: string, isFailing: boolean): ReceiverSpeed {
    return this.known.get(endpoint) ?? (isFailing ? "slow" : "new");
  }

  note(endpoint: string, { durationMs, error }: Pick<Exchange, "durationMs" | "error">): void {
    const speed = error === "timeout" || durationMs >= SLOW_MS ? "slow" : "prompt";
    if (this.known.get(endpoint) !== speed) this.known.set(endpoint, speed);
  }
}
