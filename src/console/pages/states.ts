import type { Delivery, Endpoint } from "../../client/types";
import { HEALTH_MARKS, type Look, type Mark } from "../shared/look";
import { partTexts } from "../shared/texts";

const STATUS_MARKS: Readonly<Record<Delivery["status"], Mark>> = {
  pending: { icon: "clock", tone: "calm" },
  delivered: { icon: "check", tone: "ok" },
  failed: { icon: "alert", tone: "bad" },
  cancelled: { icon: "slash", tone: "calm" },
};
const RETRIED: Mark = { icon: "clock", tone: "warn" };

/** Returns the look of a delivery by its status, without the reason for which it waits. */
export function lookOfStatus({ status, attempt_count }: Pick<Delivery, "status" | "attempt_count">): Look {
  const t = partTexts.value;
  if (status === "pending" && attempt_count > 0) return { ...RETRIED, word: t.willBeRetried };
  return { ...STATUS_MARKS[status], word: t[status] };
}

export function lookOfHealth(state: Endpoint["health"]["state"]): Look {
  return { ...HEALTH_MARKS[state], word: partTexts.value[state] };
}
