import { type Static, Type } from "@sinclair/typebox";
import { EVENT_MAX_LENGTH } from "../../../domain/names";
import { moment, named, request, text, words, written } from "../../openapi/schema";
import { ENDED } from "../jobs/job";
import { ATTEMPT_ERRORS } from "./search-query";

/** Most ids in one request, most deliveries that a filter may select, and most seconds that the selection may take. */
export const MAX_RESENT = { ids: 1_000, filter: 10_000, seconds: 5 };

const ResendFilter = request(
  "ResendFilter",
  Type.Object(
    {
      status: words("EndedStatus", ENDED),
      event_type: Type.Optional(text({ minLength: 1, maxLength: EVENT_MAX_LENGTH })),
      endpoint_id: Type.Optional(Type.String()),
      after: Type.Optional(moment("Created at this moment or later (ISO 8601).")),
      before: Type.Optional(moment("Created before this moment (ISO 8601).")),
      response_status: Type.Optional(Type.String()),
      error: Type.Optional(words("AttemptError", ATTEMPT_ERRORS)),
      data: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'Values of top-level fields of the payload, as texts: `{"order_id": "42"}`.',
        }),
      ),
    },
    {
      description: `Selects deliveries like the filters of \`GET /webhooks\` with cursors, at most ${written(MAX_RESENT.filter)}.`,
    },
  ),
);

export const ResendMany = request(
  "ResendSelection",
  Type.Object({
    ids: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: MAX_RESENT.ids,
        description: "The deliveries to resend. Not together with `filter`.",
      }),
    ),
    filter: Type.Optional(ResendFilter),
    dry_run: Type.Optional(Type.Boolean({ description: "True: counts, and starts no job. Default: false." })),
  }),
);

export const ResendCount = named(
  "ResendCount",
  Type.Object({
    total: Type.Integer({ description: "Number of deliveries that a job would resend." }),
    endpoints: Type.Integer({ description: "Number of their endpoints." }),
    skipped: Type.Integer({ description: "Number of selected deliveries that can't be resent." }),
  }),
);

export const RESEND_COUNT_EXAMPLE = { total: 120, endpoints: 3, skipped: 1 } satisfies Static<
  typeof ResendCount
>;
