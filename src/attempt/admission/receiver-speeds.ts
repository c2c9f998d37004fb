import { BoundedMap } from "../../runtime/bounded-map";
import type { Exchange } from "../exchange";

/** What is known of how long an endpoint holds a place. */
export type ReceiverSpeed = "slow" | "new" | "prompt";

/** An exchange that takes so long is slow, milliseconds. */
const SLOW_MS = 1_000;
const MAX_KNOWN = 65_536;

/** How each endpoint's last exchange went: what hung hangs again, as a rule. */
export class ReceiverSpeeds {
  private readonly known = new BoundedMap<string, "slow" | "prompt">(MAX_KNOWN);

  /** One that is not known here counts as slow if its last attempt has failed: after a start in an outage all would be new. */
  of(endpoint: string, isFailing: boolean): ReceiverSpeed {
    return this.known.get(endpoint) ?? (isFailing ? "slow" : "new");
  }

  note(endpoint: string, { durationMs, error }: Pick<Exchange, "durationMs" | "error">): void {
    const speed = error === "timeout" || durationMs >= SLOW_MS ? "slow" : "prompt";
    if (this.known.get(endpoint) !== speed) this.known.set(endpoint, speed);
  }
}
