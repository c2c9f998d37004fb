import type { DeliveryDetail, Endpoint } from "../../client/types";
import { partTexts } from "../shared/texts";

/** Returns a sentence with the reason for which a delivery waits; empty if there is none. `endpoint` is null until it is known. */
export function waitingSentence(
  { waiting_for: waiting, sequence, behind = 0, behind_complete }: DeliveryDetail,
  endpoint: Pick<Endpoint, "ordering"> | null,
): string {
  const hasOrder = endpoint !== null && endpoint.ordering !== "unordered";
  const place = hasOrder ? { sequence, behind, behind_complete } : { sequence };
  return waiting ? (partTexts.value.waits[waiting.reason]?.(waiting, place) ?? "") : "";
}
