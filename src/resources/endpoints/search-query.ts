import { Type } from "@sinclair/typebox";
import { badRequest } from "../../api/errors";
import { checkedExternalId, externalId } from "../../api/external-ids";
import { METADATA_PREFIX, type Query } from "../../api/lists/query";
import { text, words } from "../../api/openapi/schema";
import { METADATA } from "../../domain/endpoint-settings";
import { HEALTH_STATES } from "../../domain/health";
import type { EndpointSearch } from "../../endpoints/endpoint-search";

/** The filters of a list of endpoints, without `metadata.<key>`. */
export const ENDPOINT_FILTERS = ["health", "external_id", "q"] as const;
/** Most characters of a searched text. */
export const SEARCH_MAX_LENGTH = 256;
/** Most entries of the metadata in one search. */
export const MAX_ENTRIES = 5;

export const SEARCH_PARAMETERS = {
  health: words("HealthState", HEALTH_STATES, { description: "Only endpoints in this state." }),
  external_id: { ...externalId, description: "Only the endpoint with this external id." },
  q: text({
    minLength: 1,
    maxLength: SEARCH_MAX_LENGTH,
    description:
      "Only endpoints with this text in the description, URL, external id or metadata. Case is ignored.",
  }),
  "metadata.<key>": Type.String({
    description: `Only endpoints with this value in the metadata, such as \`metadata.team=payments\`; at most ${MAX_ENTRIES} of them.`,
  }),
};

/** Reads the filters. Throws 400. */
export function readEndpointSearch(query: Query<(typeof ENDPOINT_FILTERS)[number]>): EndpointSearch {
  const searched = query.text("q");
  if (searched !== undefined && [...searched].length > SEARCH_MAX_LENGTH) {
    throw badRequest(`q must have at most ${SEARCH_MAX_LENGTH} characters`);
  }
  return {
    health: query.oneOf("health", HEALTH_STATES),
    externalId: checkedExternalId("ep", query.text("external_id")),
    metadata: metadataOf(query.prefixed()),
    text: searched,
  };
}

function metadataOf(given: readonly [key: string, value: string][]): Record<string, string> | undefined {
  if (given.length === 0) return undefined;
  if (given.length > MAX_ENTRIES) {
    throw badRequest(`${METADATA_PREFIX}… can be given for at most ${MAX_ENTRIES} keys`);
  }
  for (const [key] of given) {
    if (key === "" || [...key].length > METADATA.nameCharacters) {
      throw badRequest(`${METADATA_PREFIX} must be followed by a key of the metadata`);
    }
  }
  return Object.fromEntries(given);
}
