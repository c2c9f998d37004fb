import { Type } from "@sinclair/typebox";
import { badRequest } from "../../api/errors";
import { LIMIT_PARAMETER, pageLimit } from "../../api/lists/page-limit";
import { PAYLOAD_PREFIX, Query } from "../../api/lists/query";
import type { DeliveryFilters } from "../../deliveries/delivery";
import { DELIVERY_STATUSES } from "../../domain/delivery-status";
import {
  checkedEvent,
  DELIVERY_FILTERS,
  eventParameter,
  type Narrowing,
  readNarrowing,
} from "./delivery-filters";
import { MAX_PAYLOAD_FIELDS, SEARCH } from "./search-query";

/** Adds to the description the form of the list that takes the parameter. */
function of<T extends { description?: string }>(form: "Pages" | "Cursors" | "Both forms", parameter: T): T {
  const { description = "" } = parameter;
  return {
    ...parameter,
    description: `${form}: ${description.charAt(0).toLowerCase()}${description.slice(1)}`,
  };
}

export const LIST_DESCRIPTION = `
Newest first. The list has two forms with different parameters, which can't be mixed.

**Pages**: use \`page\`, \`per_page\` or \`event\`, or no parameter at all. \`total\` is exact.
Pages by both \`status\` and \`event\` wait for each other: one runs per account, two in all.

**Cursors**: use any of \`limit\`, \`cursor\`, \`iterator\`, \`event_type\`, \`endpoint_id\`, \`after\`, \`before\`,
\`response_status\`, \`error\`, \`ordering_key\`, \`sequence\`, \`data.…\`. To follow the list, use an \`iterator\`: it reads oldest first and never skips a
delivery. Begin with \`start\` or \`now\`, then send the \`iterator\` of the last answer, for as long as you like. \`cursor\`
is null when you have caught up.

**Search**: \`response_status\`, \`error\`, \`ordering_key\`, \`sequence\` and \`data.<field>\` work with cursors only, since their
results are not counted.
A request searches for a quarter of a second if it uses one of them, several other filters together, or an iterator with a
filter. So a page may have fewer items than you asked for, even none, and still a \`cursor\` to continue from. Any other filter
makes a search faster. Searches by \`data.<field>\` wait for each other, for up to a second: one runs per account, two in all.
So do other searches that take longer than a moment.

\`data.<field>=<value>\` finds payloads with this field at their top level. Its value must be a string with this text, or a
number or boolean written exactly like this: \`data.order_id=42\` finds \`{"order_id":42}\` and \`{"order_id":"42"}\`, not
\`{"order_id":42.0}\`. The field's name extends to the equals sign: \`data.a.b\` is the field \`a.b\`. You can give
${MAX_PAYLOAD_FIELDS} fields at most, and all must match. Payloads with an escaped NUL (\`\\u0000\`) or half of a
surrogate pair are not found.

**Old deliveries may be in files**, if the operator keeps them there. Cursors and iterators read them as well, more slowly: then a page
may have fewer items than you asked for, even none, and still a \`cursor\` to continue from. A page by number that is far from the start is a
409.`.trim();

/** The parameters of the list of deliveries, in both forms. */
export const LIST_PARAMETERS = {
  page: Type.Integer({ minimum: 1, description: "Pages: the page's number, from 1." }),
  per_page: { ...LIMIT_PARAMETER, description: `Pages: ${LIMIT_PARAMETER.description}` },
  event: eventParameter("Pages: only deliveries of this event type."),
  status: of("Both forms", DELIVERY_FILTERS.status),
  limit: { ...LIMIT_PARAMETER, description: `Cursors: ${LIMIT_PARAMETER.description}` },
  cursor: Type.String({ minLength: 1, description: "Cursors: the `cursor` of the previous answer." }),
  iterator: Type.String({
    minLength: 1,
    description: "Cursors: `start`, `now`, or the `iterator` of the previous answer.",
  }),
  event_type: of("Cursors", DELIVERY_FILTERS.event_type),
  endpoint_id: of("Cursors", DELIVERY_FILTERS.endpoint_id),
  after: of("Cursors", DELIVERY_FILTERS.after),
  before: of("Cursors", DELIVERY_FILTERS.before),
  response_status: of("Cursors", DELIVERY_FILTERS.response_status),
  error: of("Cursors", DELIVERY_FILTERS.error),
  ordering_key: of("Cursors", DELIVERY_FILTERS.ordering_key),
  sequence: of("Cursors", DELIVERY_FILTERS.sequence),
  "data.<field>": of("Cursors", DELIVERY_FILTERS["data.<field>"]),
};

/** The parameters of each form of the list; `status` belongs to both. */
const PAGE_FORM = ["page", "per_page", "event"] as const;
const CURSOR_FORM = [
  "limit",
  "cursor",
  "iterator",
  "event_type",
  "endpoint_id",
  "after",
  "before",
  ...SEARCH,
] as const;
const PARAMETERS = [...PAGE_FORM, ...CURSOR_FORM, "status"] as const;

/** The parameters of the cursor form that replace page parameters. */
const IN_CURSOR_FORM = { page: "cursor", per_page: "limit", event: "event_type" } as const;

type Parameters = Query<(typeof PARAMETERS)[number]>;

export type PageForm = { form: "page"; page: number; perPage: number; filters: DeliveryFilters };
export type CursorForm = { form: "cursor"; limit: number; cursor: string | undefined } & Narrowing;
export type IteratorForm = { form: "iterator"; limit: number; iterator: string } & Narrowing;

/** The query of GET /webhooks, in one of three forms. */
export type ListQuery = PageForm | CursorForm | IteratorForm;

/** Reads the query of GET /webhooks. Throws 400, also if it mixes forms. */
export function readListQuery(url: string): ListQuery {
  const query = new Query(url, PARAMETERS, PAYLOAD_PREFIX);
  const [field] = query.prefixed();
  const cursorForm = query.given(CURSOR_FORM).at(0) ?? (field && PAYLOAD_PREFIX + field[0]);
  if (cursorForm === undefined) return readPageForm(query);
  const pageForm = query.given(PAGE_FORM);
  if (pageForm.length === 0) return readCursorForm(query);
  const instead = pageForm.map((name) => `${IN_CURSOR_FORM[name]} instead of ${name}`).join(", ");
  throw badRequest(
    `${pageForm[0]} and ${cursorForm} belong to two forms of this list and can't be mixed; use ${instead}`,
  );
}

function readPageForm(query: Parameters): ListQuery {
  return {
    form: "page",
    page: query.count("page") ?? 1,
    perPage: pageLimit(query.count("per_page")),
    filters: {
      status: query.oneOf("status", DELIVERY_STATUSES),
      event: checkedEvent("event", query.text("event")),
    },
  };
}

function readCursorForm(query: Parameters): ListQuery {
  const limit = pageLimit(query.count("limit"));
  const narrowing = readNarrowing(query);
  const cursor = query.text("cursor");
  const iterator = query.text("iterator");
  if (iterator === undefined) return { form: "cursor", limit, cursor, ...narrowing };
  if (cursor !== undefined) throw badRequest("cursor and iterator can't be given together");
  return { form: "iterator", limit, iterator, ...narrowing };
}
