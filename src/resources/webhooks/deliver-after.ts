import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import { badRequest } from "../../api/errors";
import { readInstant } from "../../api/lists/instant";
import { MAX_DELIVER_AFTER_MS } from "../../deliveries/schedule";
import type { JsonObject } from "../../domain/json-schema";

const DELIVER_AFTER = "DeliverAfter";
TypeRegistry.Set(DELIVER_AFTER, (_, value) => typeof value === "string" || typeof value === "number");

/** One text in the document, since generated clients can't send a choice of types. A JSON number of seconds works as well. */
export const deliverAfter = Type.Unsafe<string>({
  [Kind]: DELIVER_AFTER,
  type: "string",
  description:
    "When to send it: seconds from now, such as `3600`, or an ISO 8601 timestamp, at most 30 days ahead and within " +
    "HERMOD_RETENTION. Seconds may also be a JSON number. Until then it has no " +
    "`sequence` and holds nothing back; then it takes its place behind what was sent before. A time that has passed means now.",
});

/** Seconds in a text. Fewer digits than a date in the basic format has (`20261224`). */
const SECONDS = /^\d{1,7}(\.\d+)?$/;

/**
 * Reads `deliver_after` as Unix milliseconds; null if there is none, or its time has passed. Refuses times after the retention,
 * because the delivery would have expired before it is due.
 */
export function dueAtOf(
  { deliver_after: value }: JsonObject,
  retentionMs: number,
  now = Date.now(),
): number | null {
  if (value === undefined || value === null) return null;
  const seconds = typeof value === "string" && SECONDS.test(value) ? Number(value) : value;
  const dueAt = typeof seconds === "number" ? now + seconds * 1_000 : instantOf(value);
  const mostMs = Math.min(MAX_DELIVER_AFTER_MS, retentionMs);
  if (dueAt > now + mostMs || (typeof seconds === "number" && seconds < 0)) {
    const limit = mostMs < MAX_DELIVER_AFTER_MS ? "the retention (HERMOD_RETENTION)" : "30 days";
    throw badRequest(`deliver_after must be 0 to ${mostMs / 1_000} seconds, or a time within ${limit}`);
  }
  return dueAt <= now ? null : Math.ceil(dueAt);
}

function instantOf(value: unknown): number {
  if (typeof value !== "string")
    throw badRequest("deliver_after must be seconds from now, such as 3600, or an ISO 8601 timestamp");
  return readInstant("deliver_after", value);
}
