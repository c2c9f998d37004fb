import type { Delivery, Endpoint } from "../../client/types";
import { FORGED_TEST_EVENT, TEST_EVENT } from "../../domain/test-event";
import { HEALTH_MARKS, type Look, type Mark } from "../shared/look";
import { visible } from "../shared/visible-text";
import { texts } from "./session";

const MARKS: Readonly<Record<Delivery["status"], Mark>> = {
  pending: { icon: "clock", tone: "calm" },
  delivered: { icon: "check", tone: "ok" },
  failed: { icon: "alert", tone: "bad" },
  cancelled: { icon: "slash", tone: "calm" },
};
const RETRIED: Mark = { icon: "clock", tone: "warn" };

export function lookOf({ status, attempt_count }: Pick<Delivery, "status" | "attempt_count">): Look {
  const mark = status === "pending" && attempt_count > 0 ? RETRIED : MARKS[status];
  return { ...mark, word: texts.value[status] };
}

export function lookOfHealth(state: Endpoint["health"]["state"]): Look {
  return { ...HEALTH_MARKS[state], word: texts.value[state] };
}

/** The event type, or what a test is. */
export function eventName(event: string | null): string {
  const t = texts.value;
  if (event === null) return t.noName;
  const tests: Readonly<Record<string, string>> = {
    [TEST_EVENT]: t.testEvent,
    [FORGED_TEST_EVENT]: t.forgedEvent,
  };
  return tests[event] ?? visible(event);
}
