import { type Static, Type } from "@sinclair/typebox";
import {
  BODY_FORMATS,
  CONTENT_TYPE,
  JSON_TYPE,
  ON_EXHAUSTED,
  ORDERINGS,
  TUNING_LIMITS,
  type Tuning,
  type TuningPatch,
  WHILE_INACTIVE,
} from "../../../domain/tuning";
import { lengthOf, textProblem } from "../../../runtime/text/plain-text";
import { badRequest } from "../../errors";
import { mapOf, nullable, optional, text, words } from "../../openapi/schema";

const { retryMs, timeoutMs, rateLimit: rate, maxInFlight: inFlight, permanentStatus } = TUNING_LIMITS;

const metadata = mapOf(
  text({ maxLength: TUNING_LIMITS.metadataValueCharacters }),
  `Your own notes: at most ${TUNING_LIMITS.metadataEntries} texts of at most ` +
    `${TUNING_LIMITS.metadataValueCharacters} characters each, with names of 1 to ` +
    `${TUNING_LIMITS.metadataKeyCharacters} characters. A new value replaces the whole object. A portal session sees \`{}\`.`,
);
const retrySchedule = nullable(
  Type.Array(Type.Integer({ minimum: retryMs.least, maximum: retryMs.most }), {
    maxItems: TUNING_LIMITS.retries,
    description:
      "The waits between attempts, in milliseconds, ±10 %. The delivery fails when the attempt after the last wait fails. All waits " +
      `together are at most ${TUNING_LIMITS.retrySumMs} ms; waiting before the first attempt does not count. When a delivery has used ` +
      "up its schedule, each delivery behind it gets a single attempt, one first wait apart, until one succeeds. Empty: a single " +
      "attempt. Null: the service's default.",
  }),
);
const timeout = nullable(
  Type.Integer({
    minimum: timeoutMs.least,
    maximum: timeoutMs.most,
    description: "Time limit of a whole attempt, in milliseconds. Null: the service's default.",
  }),
);
const rateLimit = nullable(
  Type.Integer({
    minimum: rate.least,
    maximum: rate.most,
    description: "Most attempts, including retries, that begin within a second. Null: no limit.",
  }),
);

const ordering = words("Ordering", ORDERINGS, {
  description:
    "Which deliveries are sent in order, one at a time. `ordered` (the default): all deliveries of the endpoint. `by_key`: " +
    "deliveries with the same `ordering_key`, and deliveries without a key among themselves. `unordered`: none. A delivery that " +
    "waits for its retry holds back only the deliveries behind it in the same order.",
});
const maxInFlight = Type.Integer({
  minimum: inFlight.least,
  maximum: inFlight.most,
  description:
    "Most deliveries that are sent at the same time, 10 by default. An `ordered` endpoint ignores it.",
});

const whileInactive = words("WhileInactive", WHILE_INACTIVE, {
  description:
    "`hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no " +
    "delivery for it. What is sent to it by POST /webhooks waits either way.",
});
const onExhausted = words("OnExhausted", ON_EXHAUSTED, {
  description:
    "What happens when a delivery has used up its schedule. `skip` (the default): it fails, and the next one follows. `pause`: it stays " +
    "pending and first in its order, and the endpoint is set inactive with the health's reason `exhausted`. Each time that you set " +
    "`is_active` to true, the delivery gets one more attempt; cancel it to pass it. A delivery that fails at once, by " +
    "`permanent_statuses` or `webhook-delivery: abort-message`, is passed either way.",
});
const permanentStatuses = Type.Array(
  Type.Integer({ minimum: permanentStatus.least, maximum: permanentStatus.most }),
  {
    maxItems: permanentStatus.most - permanentStatus.least + 1,
    uniqueItems: true,
    description: "HTTP statuses that fail a delivery at once, instead of a retry. None by default.",
  },
);

const format = words("BodyFormat", BODY_FORMATS, {
  description:
    "The form of the body. `payload` (the default): the payload alone. `envelope`: an `Envelope` around the payload, as Standard " +
    "Webhooks recommends, so the signature covers the event type. Both keep the payload byte for byte. `slack` and `teams`: a " +
    "message for people, as incoming webhooks of Slack and Workflows of Microsoft Teams take it; for `feed` above all. `email`: an " +
    "e-mail in plain text to the address of a `mailto:` URL; only with `feed: true`, and without `headers`.",
});
const contentType = text({
  maxLength: TUNING_LIMITS.contentTypeCharacters,
  pattern: CONTENT_TYPE,
  description: `The body's \`content-type\`: \`${JSON_TYPE}\` (the default) or \`application/…+json\`.`,
});
const traceparent = Type.Boolean({
  description:
    "True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can " +
    "continue the sender's trace. False is the default, since the header shows a receiver systems that are not its own.",
});

/** The settings of an endpoint, in every answer. */
export const tuningModel = {
  metadata,
  retry_schedule_ms: retrySchedule,
  timeout_ms: timeout,
  rate_limit: rateLimit,
  ordering,
  max_in_flight: maxInFlight,
  while_inactive: whileInactive,
  on_exhausted: onExhausted,
  permanent_statuses: permanentStatuses,
  format,
  content_type: contentType,
  traceparent,
};

/** The settings of an endpoint, in a request that creates it. */
export const newTuning = {
  metadata: optional(metadata),
  retry_schedule_ms: Type.Optional(retrySchedule),
  timeout_ms: Type.Optional(timeout),
  rate_limit: Type.Optional(rateLimit),
  ordering: optional(ordering),
  max_in_flight: optional(maxInFlight),
  while_inactive: optional(whileInactive),
  on_exhausted: optional(onExhausted),
  permanent_statuses: optional(permanentStatuses),
  format: optional(format),
  content_type: optional(contentType),
  traceparent: optional(traceparent),
};

/** The settings of an endpoint, in a request that changes it. Absent fields stay unchanged. */
export const tuningProperties = {
  metadata: Type.Optional(metadata),
  retry_schedule_ms: Type.Optional(retrySchedule),
  timeout_ms: Type.Optional(timeout),
  rate_limit: Type.Optional(rateLimit),
  ordering: Type.Optional(ordering),
  max_in_flight: Type.Optional(maxInFlight),
  while_inactive: Type.Optional(whileInactive),
  on_exhausted: Type.Optional(onExhausted),
  permanent_statuses: Type.Optional(permanentStatuses),
  format: Type.Optional(format),
  content_type: Type.Optional(contentType),
  traceparent: Type.Optional(traceparent),
};

const TuningBody = Type.Object(newTuning);
const TuningModel = Type.Object(tuningModel);

/** Reads the settings. Throws 400 for conditions that the model can't express. */
export function readTuning(body: Static<typeof TuningBody>): TuningPatch {
  return {
    metadata: body.metadata ? checkedMetadata(body.metadata) : undefined,
    retryScheduleMs: body.retry_schedule_ms && checkedSchedule(body.retry_schedule_ms),
    timeoutMs: body.timeout_ms,
    rateLimit: body.rate_limit,
    ordering: body.ordering ?? undefined,
    maxInFlight: body.max_in_flight ?? undefined,
    whileInactive: body.while_inactive ?? undefined,
    onExhausted: body.on_exhausted ?? undefined,
    permanentStatuses: body.permanent_statuses ?? undefined,
    format: body.format ?? undefined,
    contentType: checkedContentType(body.content_type),
    traceparent: body.traceparent ?? undefined,
  };
}

export function viewOfTuning(tuning: Tuning): Static<typeof TuningModel> {
  return {
    metadata: { ...tuning.metadata },
    retry_schedule_ms: tuning.retryScheduleMs && [...tuning.retryScheduleMs],
    timeout_ms: tuning.timeoutMs,
    rate_limit: tuning.rateLimit,
    ordering: tuning.ordering,
    max_in_flight: tuning.maxInFlight,
    while_inactive: tuning.whileInactive,
    on_exhausted: tuning.onExhausted,
    permanent_statuses: [...tuning.permanentStatuses],
    format: tuning.format,
    content_type: tuning.contentType,
    traceparent: tuning.traceparent,
  };
}

function checkedMetadata(entries: Record<string, string>): Record<string, string> {
  const { metadataEntries: most, metadataKeyCharacters: longest } = TUNING_LIMITS;
  const names = Object.keys(entries);
  if (names.length > most) throw badRequest(`metadata must have at most ${most} entries`);
  for (const name of names) {
    if (name === "" || lengthOf(name) > longest) {
      throw badRequest(`metadata must have names with 1 to ${longest} characters`);
    }
    const problem = textProblem(name);
    if (problem) throw badRequest(`metadata has a name that ${problem}`);
  }
  return entries;
}

const IS_CONTENT_TYPE = new RegExp(CONTENT_TYPE);

function checkedContentType(type: string | null | undefined): string | undefined {
  if (type === null || type === undefined || IS_CONTENT_TYPE.test(type)) return type ?? undefined;
  throw badRequest(`content_type must be ${JSON_TYPE}, or one such as application/cloudevents+json`);
}

function checkedSchedule(schedule: number[]): number[] {
  const sum = schedule.reduce((total, wait) => total + wait, 0);
  const { retrySumMs: most } = TUNING_LIMITS;
  if (sum > most) throw badRequest(`retry_schedule_ms must add up to at most ${most} ms`);
  return schedule;
}

export const TUNING_EXAMPLE = {
  metadata: { team: "payments" },
  retry_schedule_ms: [1_000, 30_000, 600_000],
  timeout_ms: null,
  rate_limit: 50,
  ordering: "ordered",
  max_in_flight: 10,
  while_inactive: "hold",
  on_exhausted: "skip",
  permanent_statuses: [422],
  format: "payload",
  content_type: JSON_TYPE,
  traceparent: false,
} satisfies Static<typeof TuningModel>;
