import { type Static, Type } from "@sinclair/typebox";
import { ApiError, badRequest } from "../../api/errors";
import { moment, named, request, text, words, written } from "../../api/openapi/schema";
import { type DeliveryId, fromText } from "../../domain/ids";
import { EVENT_MAX_LENGTH, ORDERING_KEY_MAX_LENGTH } from "../../domain/names";
import { ENDED } from "../jobs/job";
import { type Narrowing, readFilterQuery } from "./delivery-filters";
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
      ordering_key: Type.Optional(text({ minLength: 1, maxLength: ORDERING_KEY_MAX_LENGTH })),
      sequence: Type.Optional(Type.Integer({ minimum: 1 })),
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

/** The deliveries that a request selects. */
export type Selection = { by: "ids"; ids: DeliveryId[] } | ({ by: "filter" } & Narrowing);

/** Reads what a request selects. Throws 400. */
export function selectionOf({ ids, filter }: Static<typeof ResendMany>): Selection {
  if (ids !== undefined && filter === undefined) return { by: "ids", ids: ids.map(readDeliveryId) };
  if (filter !== undefined && ids === undefined) return { by: "filter", ...readFilter(filter) };
  if (ids !== undefined) throw badRequest("give either ids or filter, not both");
  throw badRequest("ids or filter is required, to select the deliveries to resend");
}

/** Reads a filter like the query of the list. A refusal names the field as one of `filter`. */
function readFilter(filter: Static<typeof ResendFilter>): Narrowing {
  try {
    return readFilterQuery(queryOf(filter));
  } catch (error) {
    throw error instanceof ApiError ? badRequest(`filter.${error.message}`) : error;
  }
}

function readDeliveryId(written: string): DeliveryId {
  const id = fromText("wh", written);
  if (id === null) throw badRequest("ids must be ids of deliveries, wh_…");
  return id;
}

/** Writes a filter as the query of the list, so that both are read and checked in one place. */
function queryOf({ data = {}, ...filter }: Static<typeof ResendFilter>): string {
  const fields = Object.entries(data).map(([name, value]) => [`data.${name}`, value] as const);
  const parameters = [...Object.entries(filter), ...fields];
  return `?${new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, String(value)]))}`;
}
