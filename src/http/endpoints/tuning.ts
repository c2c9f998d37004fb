import { type Static, Type } from "@sinclair/typebox";
import {
  ORDERINGS,
  TUNING_LIMITS,
  type Tuning,
  type TuningPatch,
  WHILE_INACTIVE,
} from "../../endpoints/tuning";
import { flawOf, lengthOf } from "../../runtime/plain-text";
import { badRequest } from "../errors";
import { mapOf, nullable, optional, text, words } from "../openapi/schema";

const { retryMs, timeoutMs, rateLimit: rate, maxInFlight: inFlight, permanentStatus } = TUNING_LIMITS;

const metadata = mapOf(
  text({ maxLength: TUNING_LIMITS.metadataValueCharacters }),
  `Notes of your own: at most ${TUNING_LIMITS.metadataEntries} texts of at most ` +
    `${TUNING_LIMITS.metadataValueCharacters} characters, under names of 1 to ` +
    `${TUNING_LIMITS.metadataKeyCharacters}. A new value replaces the whole object.`,
);
const retrySchedule = nullable(
  Type.Array(Type.Integer({ minimum: retryMs.least, maximum: retryMs.most }), {
    maxItems: TUNING_LIMITS.retries,
    description:
      "The waits after failed attempts, in milliseconds, ±10 %; after the last one the delivery fails. At most " +
      `${TUNING_LIMITS.retrySumMs} together. Waiting before the first attempt uses none of it. What waited behind a delivery that ` +
      "used up its schedule gets one attempt each, the first wait apart, until one succeeds. Empty: a single attempt. " +
      "Null: the service's default.",
  }),
);
const timeout = nullable(
  Type.Integer({
    minimum: timeoutMs.least,
    maximum: timeoutMs.most,
    description: "For the whole exchange of an attempt, in milliseconds. Null: the service's default.",
  }),
);
const rateLimit = nullable(
  Type.Integer({
    minimum: rate.least,
    maximum: rate.most,
    description: "Attempts, including retries, that may begin in any one second. Null: no limit.",
  }),
);

const ordering = words(ORDERINGS, {
  description:
    "What keeps its order. `ordered` (the default): all deliveries, one at a time. `by_key`: those with the same " +
    "`ordering_key`, one at a time; those without one share an order. `unordered`: none. A delivery that waits for its retry " +
    "holds back those behind it in its order, and no others.",
});
const maxInFlight = Type.Integer({
  minimum: inFlight.least,
  maximum: inFlight.most,
  description: "Deliveries in flight at once, 10 by default. No effect while `ordered`.",
});

const whileInactive = words(WHILE_INACTIVE, {
  description:
    "`hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no " +
    "delivery for it. What is sent to it by POST /webhooks waits either way.",
});
const permanentStatuses = Type.Array(
  Type.Integer({ minimum: permanentStatus.least, maximum: permanentStatus.most }),
  {
    maxItems: permanentStatus.most - permanentStatus.least + 1,
    uniqueItems: true,
    description: "HTTP statuses that fail a delivery at once, instead of a retry. None by default.",
  },
);

/** How an endpoint is tuned, as every answer has it. */
export const tuningModel = {
  metadata,
  retry_schedule_ms: retrySchedule,
  timeout_ms: timeout,
  rate_limit: rateLimit,
  ordering,
  max_in_flight: maxInFlight,
  while_inactive: whileInactive,
  permanent_statuses: permanentStatuses,
};

/** The same where an endpoint is created. */
export const newTuning = {
  metadata: optional(metadata),
  retry_schedule_ms: Type.Optional(retrySchedule),
  timeout_ms: Type.Optional(timeout),
  rate_limit: Type.Optional(rateLimit),
  ordering: optional(ordering),
  max_in_flight: optional(maxInFlight),
  while_inactive: optional(whileInactive),
  permanent_statuses: optional(permanentStatuses),
};

/** The same where one is changed: a field that is left out stays as it is. */
export const tuningProperties = {
  metadata: Type.Optional(metadata),
  retry_schedule_ms: Type.Optional(retrySchedule),
  timeout_ms: Type.Optional(timeout),
  rate_limit: Type.Optional(rateLimit),
  ordering: Type.Optional(ordering),
  max_in_flight: Type.Optional(maxInFlight),
  while_inactive: Type.Optional(whileInactive),
  permanent_statuses: Type.Optional(permanentStatuses),
};

const TuningBody = Type.Object(newTuning);
const TuningModel = Type.Object(tuningModel);

/** Throws 400 for what the model can't say. */
export function readTuning(body: Static<typeof TuningBody>): TuningPatch {
  return {
    metadata: body.metadata ? checkedMetadata(body.metadata) : undefined,
    retryScheduleMs: body.retry_schedule_ms && checkedSchedule(body.retry_schedule_ms),
    timeoutMs: body.timeout_ms,
    rateLimit: body.rate_limit,
    ordering: body.ordering ?? undefined,
    maxInFlight: body.max_in_flight ?? undefined,
    whileInactive: body.while_inactive ?? undefined,
    permanentStatuses: body.permanent_statuses ?? undefined,
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
    permanent_statuses: [...tuning.permanentStatuses],
  };
}

function checkedMetadata(entries: Record<string, string>): Record<string, string> {
  const { metadataEntries: most, metadataKeyCharacters: longest } = TUNING_LIMITS;
  const names = Object.keys(entries);
  if (names.length > most) throw badRequest(`metadata must have at most ${most} entries`);
  for (const name of names) {
    if (name === "" || lengthOf(name) > longest) {
      throw badRequest(`metadata must have names of 1 to ${longest} characters`);
    }
    const flaw = flawOf(name);
    if (flaw) throw badRequest(`metadata has a name that ${flaw}`);
  }
  return entries;
}

function checkedSchedule(schedule: number[]): number[] {
  const sum = schedule.reduce((total, wait) => total + wait, 0);
  const { retrySumMs: most } = TUNING_LIMITS;
  if (sum > most) throw badRequest(`retry_schedule_ms must not be more than ${most} milliseconds together`);
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
  permanent_statuses: [422],
} satisfies Static<typeof TuningModel>;
