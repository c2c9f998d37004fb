import type { CreatedRange, DeliveryFilters, DeliverySearch } from "../../../deliveries/delivery";
import type { TailQuery } from "../../../deliveries/tail";
import { DELIVERY_STATUSES } from "../../../domain/delivery-status";
import { eventProblem } from "../../../domain/names";
import { badRequest } from "../../errors";
import { readEndpointId } from "../../ids";
import { pageLimit } from "../../lists/page-limit";
import { Query } from "../../lists/query";
import { PAYLOAD_PREFIX, readPayloadFields, readSearch, SEARCH } from "./search-query";

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

/** Filters and time range of the cursor and iterator forms. */
export type Narrowing = { filters: DeliverySearch; created: CreatedRange };

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

export type TailForm = { iterator: string; filters: TailQuery };

const TAIL = ["iterator", "event_type", "endpoint_id", "status"] as const;

/** Reads the query of GET /webhooks/tail. */
export function readTailQuery(url: string): TailForm {
  const query = new Query(url, TAIL, PAYLOAD_PREFIX);
  const filters = { ...readFilters(query), payload: readPayloadFields(query) };
  return { iterator: query.text("iterator") ?? "now", filters };
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

/** The filters of the cursor form. */
const FILTERS = ["event_type", "endpoint_id", "status", "after", "before", ...SEARCH] as const;

/** Reads the filters of a summary, or of a list of all accounts. Throws 400. */
export function readFilterQuery(url: string): Narrowing {
  return readNarrowing(new Query(url, FILTERS, PAYLOAD_PREFIX));
}

function readNarrowing(query: Query<(typeof FILTERS)[number]>): Narrowing {
  const filters = { ...readFilters(query), ...readSearch(query) };
  const { after, before } = query.range();
  return { filters, created: { createdFrom: after, createdBefore: before } };
}

function readFilters(query: Query<"status" | "event_type" | "endpoint_id">): DeliveryFilters {
  const endpointId = query.text("endpoint_id");
  return {
    status: query.oneOf("status", DELIVERY_STATUSES),
    event: checkedEvent("event_type", query.text("event_type")),
    endpointId: endpointId === undefined ? undefined : readEndpointId(endpointId),
  };
}

function checkedEvent(name: "event" | "event_type", event: string | undefined): string | undefined {
  const problem = event === undefined ? null : eventProblem(event);
  if (problem) throw badRequest(`${name} ${problem}`);
  return event;
}
