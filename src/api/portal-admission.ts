import type { Principal, PrincipalSession } from "../accounts/authentication/principal";
import type { Deliveries } from "../deliveries/deliveries";
import { type AccountId, type EndpointId, fromText } from "../domain/ids";
import type { Portal } from "../domain/portal";
import type { Endpoints } from "../endpoints/endpoint";
import { isInReach, LACKS_PAYLOADS, seesPayloads } from "../sessions/portal-reach";
import { type ApiError, forbidden } from "./errors";
import { idInPath, noSuch } from "./ids";
import type { RequestBody } from "./json/request-body";
import { METADATA_PREFIX, PAYLOAD_PREFIX, Query } from "./lists/query";
import type { Operation, PortalRule } from "./openapi/operation";

/** The only operation that a link may call. */
const OPENS = "openPortalSession";
const MAY_NOT = "A portal session may not do this";

/** Returns the 403 for an operation that the session may not call; null for sessions of the console, which may call all. */
export function refusalOfPortal({ id, portal }: Operation, session: PrincipalSession): ApiError | null {
  if (session.kind === "link" || id === OPENS)
    return session.kind === "link" && id === OPENS ? null : forbidden("A link only opens its portal session");
  if (session.portal === null) return null;
  if (portal === null) return forbidden(MAY_NOT);
  const { capabilities } = session.portal;
  const lacking = [portal.needs, portal.also].find((each) => each && !capabilities.includes(each));
  return lacking ? forbidden(`This needs a portal session with the capability ${lacking}`) : null;
}

type AdmissionRequest = { url: string; params: { id?: string }; body: RequestBody };

export type PortalStores = Readonly<{
  deliveries: Pick<Deliveries, "summaries">;
  endpoints: Pick<Endpoints, "feedsAmong">;
}>;

/** Throws unless a portal session may see the resources and set the fields that a request names. It sees nothing of feeds. */
export async function checkPortalScope(
  stores: PortalStores,
  { portal: rule }: Operation,
  { accountId }: Principal,
  portal: Portal,
  { url, params, body }: AdmissionRequest,
): Promise<void> {
  if (rule === null) throw forbidden(MAY_NOT);
  refuseFields(rule, body);
  if (rule.concerns === "filter") refusePayloadSearch(portal, url);
  if (rule.concerns === "endpoints") refuseMetadataSearch(url);
  if (rule.concerns === "selection") refuseSelection(portal, body);
  const { endpointIds } = portal;
  const sees = async (id: EndpointId) =>
    (endpointIds === null || endpointIds.includes(id)) && !(await stores.endpoints.feedsAmong([id])).has(id);
  if (rule.concerns === "endpoint" && !(await sees(idInPath("ep", params.id ?? "")))) throw noSuch("ep");
  if (
    rule.concerns === "delivery" &&
    !(await sees(await endpointOf(stores.deliveries, accountId, params.id ?? "")))
  )
    throw noSuch("wh");
  if (endpointIds === null) return;
  switch (rule.concerns) {
    case "filter":
      if (!endpointIds.includes(endpointIn(url)))
        throw forbidden("This session sees some endpoints only: name one as endpoint_id");
      return;
    case "endpoints":
      if (url.includes("?"))
        throw forbidden("This session sees some endpoints only: list them without parameters");
      return;
    case "account":
      throw forbidden("This session is for some endpoints only");
  }
}

function refuseFields({ fields }: PortalRule, body: RequestBody): void {
  if (fields === undefined || body.length === 0) return;
  const refused = Object.keys(body.object).find((name) => !fields.includes(name));
  if (refused !== undefined) throw forbidden(`A portal session can't set ${refused}`);
}

/** Filters by which a portal session may select deliveries: those of its lists, except for payloads, which it may not see. */
const SELECTED_BY = [
  "status",
  "endpoint_id",
  "event_type",
  "response_status",
  "error",
  "ordering_key",
  "sequence",
  "after",
  "before",
];

function refuseSelection({ endpointIds }: Portal, body: RequestBody): void {
  const filter: Record<string, unknown> = { ...(body.length === 0 ? {} : (body.object.filter ?? {})) };
  const refused = Object.keys(filter).find((name) => !SELECTED_BY.includes(name));
  if (refused !== undefined) throw forbidden(`A portal session can't select deliveries by ${refused}`);
  const endpoint = typeof filter.endpoint_id === "string" ? fromText("ep", filter.endpoint_id) : null;
  if (endpointIds !== null && (endpoint === null || !endpointIds.includes(endpoint)))
    throw forbidden("This session sees some endpoints only: name one in the filter as endpoint_id");
}

/** Refuses searches that would let a session guess payloads that it may not see. */
function refusePayloadSearch(portal: Portal, url: string): void {
  const query = new Query(url, ["event_type"], PAYLOAD_PREFIX);
  if (query.prefixed().length === 0) return;
  if (!seesPayloads(portal)) throw forbidden(`Searching payloads ${LACKS_PAYLOADS}`);
  if (!isInReach(portal, query.text("event_type") ?? null))
    throw forbidden("Searching payloads needs an event_type that is one of the link's event_types");
}

/** Refuses searches that would let a session guess the metadata, which it does not see. */
function refuseMetadataSearch(url: string): void {
  const query = new Query(url, ["q"], METADATA_PREFIX);
  if (query.has("q") || query.prefixed().length > 0)
    throw forbidden(`A portal session can't search endpoints by q or ${METADATA_PREFIX}…`);
}

async function endpointOf(
  deliveries: Pick<Deliveries, "summaries">,
  accountId: AccountId,
  text: string,
): Promise<EndpointId> {
  const [delivery] = await deliveries.summaries(accountId, [idInPath("wh", text)]);
  if (!delivery) throw noSuch("wh");
  return delivery.endpointId;
}

function endpointIn(url: string): EndpointId {
  const text = new Query(url, ["endpoint_id"]).text("endpoint_id") ?? "";
  return fromText("ep", text) ?? ("" as EndpointId);
}
