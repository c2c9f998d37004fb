import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import { batchOf } from "../../api/batch-model";
import { badRequest } from "../../api/errors";
import { unknownEndpoint } from "../../api/ids";
import { knownFields, MAX_DEPTH } from "../../api/json/json-text";
import type { RequestBody } from "../../api/json/request-body";
import { readInstant } from "../../api/lists/instant";
import { optional, request, text } from "../../api/openapi/schema";
import { rawField } from "../../client/raw-field";
import { type EndpointId, fromText } from "../../domain/ids";
import type { JsonObject } from "../../domain/json-schema";
import {
  EVENT_MAX_LENGTH,
  eventProblem,
  ORDERING_KEY_MAX_LENGTH,
  orderingKeyProblem,
} from "../../domain/names";
import type { NewDelivery } from "../../intake/new-delivery";

/** A delivery may be scheduled at most this far ahead. */
export const MAX_DELIVER_AFTER_MS = 30 * 86_400_000;
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

export const orderingKey = text({
  minLength: 1,
  maxLength: ORDERING_KEY_MAX_LENGTH,
  description:
    "Groups deliveries, for example by a customer's id. An endpoint with the `ordering` `by_key` gets deliveries with the same key " +
    "in order. Every receiver gets the key as `webhook-ordering-key`.",
});

export const SendWebhook = request(
  "CreateWebhook",
  Type.Object({
    endpoint_id: Type.String(),
    event: optional(text({ minLength: 1, maxLength: EVENT_MAX_LENGTH })),
    ordering_key: optional(orderingKey),
    deliver_after: optional(deliverAfter),
    data: Type.Unknown({
      description:
        "The payload, any JSON value. The receiver gets exactly these bytes, unless its endpoint has another `format`.",
    }),
  }),
);

export const SendWebhooks = batchOf("CreateWebhooks", "webhooks", SendWebhook);

/** The fields of a delivery that the bodies of webhooks and events have in common. */
export type SendContent = Required<Pick<NewDelivery, "event" | "orderingKey" | "data" | "dueAt">>;

/** Reads the body of a send. By hand, without a model, because every webhook passes it. */
export function readSend(
  given: RequestBody,
  retentionMs: number,
  path?: readonly string[],
): SendContent & Pick<NewDelivery, "endpointId"> {
  const body = knownFields(given, SendWebhook, path);
  const endpointId = endpointOf(body.endpoint_id);
  return {
    endpointId,
    ...contentOf(eventOf(body.event), body, given.text),
    dueAt: dueAtOf(body, retentionMs),
  };
}

/** Reads the ordering key and the payload from the body, whose text is `json`. */
export function contentOf(event: string | null, body: JsonObject, json: string): Omit<SendContent, "dueAt"> {
  const orderingKey = orderingKeyOf(body);
  const raw = rawField(json, "data");
  if (raw === null) throw badRequest("data is required");
  if (raw.depth > MAX_DEPTH) throw badRequest(`data is nested deeper than ${MAX_DEPTH} levels`);
  return { event, orderingKey, data: raw.text };
}

function endpointOf(value: unknown): EndpointId {
  if (value === undefined) throw badRequest("endpoint_id is required");
  if (typeof value !== "string") throw badRequest("endpoint_id must be a string");
  const id = fromText("ep", value);
  if (id === null) throw unknownEndpoint("endpoint_id", value);
  return id;
}

/** Reads `event`; null if there is none. */
export function eventOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw badRequest("event must be a string");
  const problem = eventProblem(value);
  if (problem) throw badRequest(`event ${problem}`);
  return value;
}

/** Reads `ordering_key`; null if the body has none. */
export function orderingKeyOf({ ordering_key: value }: JsonObject): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw badRequest("ordering_key must be a string");
  const problem = orderingKeyProblem(value);
  if (problem) throw badRequest(`ordering_key ${problem}`);
  return value;
}
