import type { Static } from "@sinclair/typebox";
import type { CheckUrl } from "../../api/dependencies";
import { badRequest } from "../../api/errors";
import {
  ALL_EVENTS,
  type EventFilter,
  type ParsedFilter,
  parseEventFilter,
  parseEventTypes,
} from "../../domain/event-filter";
import { type AccountId, fromText } from "../../domain/ids";
import type { EndpointPatch, NewEndpoint } from "../../endpoints/endpoint";
import { GIVEN_SECRET_BYTES, isSigningSecret } from "../../endpoints/signing-secret";
import { changedUrl, newUrl } from "./delivery-way";
import { ALL_ACCOUNTS, type CreateEndpoint, type PutEndpoint } from "./endpoint";
import { readHeaders, replacesSecrets } from "./headers";
import { readSettings } from "./settings";

/** Reads the body of a request that creates an endpoint. Throws 400. */
export function wantedIn(body: Static<typeof CreateEndpoint>, checkUrl: CheckUrl): NewEndpoint {
  return {
    url: newUrl(body, checkUrl),
    description: body.description ?? null,
    eventFilter: filterIn(body) ?? ALL_EVENTS,
    filter: body.filter ?? null,
    isActive: body.is_active ?? true,
    feed: body.feed ?? false,
    feedAccounts: feedAccountsIn(body) ?? null,
    headers: readHeaders({ ...body, headers: body.headers ?? undefined }) ?? [],
    tuning: readSettings(body),
  };
}

/** Reads the body of a request that changes an endpoint. Throws 400. */
export function patchIn(body: Static<typeof PutEndpoint>, checkUrl: CheckUrl): EndpointPatch {
  return {
    url: changedUrl(body, checkUrl),
    description: body.description,
    eventFilter: filterIn(body),
    filter: body.filter,
    isActive: body.is_active,
    feed: body.feed,
    feedAccounts: feedAccountsIn(body),
    headers: readHeaders(body),
    replacesSecrets: replacesSecrets(body),
    ...readSettings(body),
  };
}

/** Reads the accounts of a feed: none for all. A feed that ends, ends for all accounts. */
function feedAccountsIn({
  feed,
  feed_accounts: names,
}: Pick<Static<typeof CreateEndpoint>, "feed" | "feed_accounts">): readonly AccountId[] | null | undefined {
  if (names === undefined || names === null) return feed === false ? null : names;
  if (feed !== true) throw badRequest("feed_accounts needs feed: true in the same request");
  if (names.includes(ALL_ACCOUNTS)) {
    if (names.length > 1) throw badRequest("feed_accounts must be * alone, or ids of accounts");
    return [];
  }
  return names.map((name) => {
    const id = fromText("acc", name);
    if (id === null) throw badRequest("feed_accounts must be ids of accounts (acc_…), or * for all");
    return id;
  });
}

/** Reads a signing secret that the receiver already has. Throws 400. */
export function checkedSecret(text: string | null | undefined): string | undefined {
  if (text === undefined || text === null) return undefined;
  if (isSigningSecret(text)) return text;
  const { least, most } = GIVEN_SECRET_BYTES;
  throw badRequest(`signing_secret must be whsec_ and the base64 of ${least} to ${most} bytes`);
}

/** Reads a body's filter from either field; undefined if it has none. */
function filterIn({
  event_filter,
  event_types,
}: Pick<Static<typeof CreateEndpoint>, "event_filter" | "event_types">): EventFilter | undefined {
  if (typeof event_filter === "string" && event_types) {
    throw badRequest("event_filter and event_types are two forms of one filter: give one of them");
  }
  if (typeof event_filter === "string") return filterOf("event_filter", parseEventFilter(event_filter));
  return event_types ? filterOf("event_types", parseEventTypes(event_types)) : undefined;
}

function filterOf(name: string, parsed: ParsedFilter): EventFilter {
  if ("problem" in parsed) throw badRequest(`${name} ${parsed.problem}`);
  return parsed.filter;
}
