import type { DeliveryDetail, WaitingFor } from "../../client/types";
import { count } from "../shared/format";
import { texts } from "./session";

/** Returns the reason for which a delivery waits, in a customer's words; null if it does not wait, or for its next attempt alone. */
export function waitingWords({ waiting_for: waiting }: Pick<DeliveryDetail, "waiting_for">): string | null {
  const t = texts.value.waits;
  switch (waiting?.reason) {
    case "turn":
      return t.turn(frontWords(waiting), waiting.in_front?.sequence ?? null);
    case "pause":
      return t.pause;
    case "scheduled":
      return t.scheduled;
    case "rest":
      return t.rest;
    case "rate_limit":
      return t.rate_limit(waiting.rate_limit ?? 0);
    case "max_in_flight":
      return t.max_in_flight(waiting.max_in_flight ?? 0);
    case "attempt":
      return t.attempt;
    default:
      return null;
  }
}

/** Returns how many are in front: `12`, `1,000+`. */
function frontWords({ ahead }: WaitingFor): string {
  const counted = count(Math.max(1, ahead?.count ?? 1));
  return ahead?.complete === false ? `${counted}+` : counted;
}
