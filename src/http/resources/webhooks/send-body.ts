import { MAX_DELIVER_AFTER_MS } from "../../../deliveries/schedule";
import { type EndpointId, fromText } from "../../../domain/ids";
import { eventProblem, orderingKeyProblem } from "../../../domain/names";
import { badRequest } from "../../errors";
import { unknownEndpoint } from "../../ids";
import { type JsonObject, knownFields, MAX_DEPTH } from "../../json/json-text";
import { rawField } from "../../json/raw-field";
import type { RequestBody } from "../../json/request-body";
import { readInstant } from "../../lists/instant";
import { SendWebhook } from "./model";

/** The content that webhooks and events have in common. */
export type Content = {
  event: string | null;
  orderingKey: string | null;
  /** The payload's text, byte for byte. */
  data: string;
  /** The time at which it is due, Unix milliseconds; null for at once. */
  dueAt: number | null;
};

/** The content of POST /webhooks. */
export type SendBody = Content & { endpointId: EndpointId };

/** Reads the body of a send. By hand, without a model, because every webhook passes it. */
export function readSend(given: RequestBody, retentionMs: number, path?: readonly string[]): SendBody {
  const body = knownFields(given, SendWebhook, path);
  const endpointId = endpointOf(body.endpoint_id);
  return {
    endpointId,
    ...contentOf(eventOf(body.event), body, given.text),
    dueAt: dueAtOf(body, retentionMs),
  };
}

/** Reads the ordering key and the payload from the body, whose text is `json`. */
export function contentOf(event: string | null, body: JsonObject, json: string): Omit<Content, "dueAt"> {
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
