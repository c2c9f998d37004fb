import { badRequest } from "../../api/errors";
import { PAYLOAD_PREFIX, type Query } from "../../api/lists/query";
import { EXCHANGE_ERRORS } from "../../attempt/exchange";
import type { PayloadField, SearchFilters, StatusRange } from "../../deliveries/lists/search";
import { orderingKeyProblem } from "../../domain/names";
import { PULL_ERRORS } from "../../domain/outcome";
import { FORGERY_ACCEPTED } from "../../domain/test-event";

/** The search parameters, without `data.<field>`. */
export const SEARCH = ["response_status", "error", "ordering_key", "sequence"] as const;
/** Most payload fields in one search. */
export const MAX_PAYLOAD_FIELDS = 5;

/** The errors of recorded attempts. */
export const ATTEMPT_ERRORS = [...EXCHANGE_ERRORS, FORGERY_ACCEPTED, ...PULL_ERRORS] as const;

/** Reads the search filters. Throws 400. */
export function readSearch(query: Query<string>): SearchFilters {
  return {
    responseStatus: statusOf(query.text("response_status")),
    error: query.oneOf("error", ATTEMPT_ERRORS),
    orderingKey: keyOf(query.text("ordering_key")),
    sequence: query.count("sequence"),
    payload: readPayloadFields(query),
  };
}

function keyOf(text: string | undefined): string | undefined {
  const problem = text === undefined ? null : orderingKeyProblem(text);
  if (problem) throw badRequest(`ordering_key ${problem}`);
  return text;
}

function statusOf(text: string | undefined): StatusRange | undefined {
  if (text === undefined) return undefined;
  if (/^(0|[1-9]\d\d)$/.test(text)) return { from: Number(text), to: Number(text) };
  const [, hundreds] = /^([1-5])xx$/.exec(text) ?? [];
  if (hundreds === undefined) {
    throw badRequest(
      "response_status must be a status such as 503, a class such as 5xx, or 0 for no HTTP response",
    );
  }
  return { from: Number(hundreds) * 100, to: Number(hundreds) * 100 + 99 };
}

/** Reads the fields that the payload must have; undefined if there are none. Throws 400. */
export function readPayloadFields(query: Query<string>): PayloadField[] | undefined {
  const given = query.prefixed();
  if (given.length === 0) return undefined;
  if (given.length > MAX_PAYLOAD_FIELDS) {
    throw badRequest(`${PAYLOAD_PREFIX}… can be given for at most ${MAX_PAYLOAD_FIELDS} fields`);
  }
  return given.map(([name, value]) => {
    if (name === "") throw badRequest(`${PAYLOAD_PREFIX} must be followed by the name of a field`);
    return { name, value };
  });
}
