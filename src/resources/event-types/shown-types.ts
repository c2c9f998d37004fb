import type { Principal } from "../../accounts/authentication/principal";
import { matches } from "../../domain/event-filter";
import type { AccountId, EndpointId } from "../../domain/ids";
import type { Endpoints } from "../../endpoints/endpoint";
import { isInReach } from "../../sessions/portal-reach";

/**
 * Returns whether a principal sees an event type. A portal session sees what its link bounds, and what its endpoints want if it is
 * for some: other types may name other customers' business.
 */
export async function shownTo(
  { accountId, session }: Principal,
  endpoints: Pick<Endpoints, "some">,
): Promise<(name: string) => boolean> {
  const portal = session?.portal ?? null;
  if (portal === null) return () => true;
  const isWanted = await wantedBy(endpoints, accountId, portal.endpointIds);
  return (name) => isWanted(name) && isInReach(portal, name);
}

async function wantedBy(
  endpoints: Pick<Endpoints, "some">,
  accountId: AccountId,
  ids: readonly EndpointId[] | null,
): Promise<(name: string) => boolean> {
  if (ids === null) return () => true;
  const wanting = (await endpoints.some(accountId, ids)).filter(({ feed }) => !feed);
  return (name) => wanting.some(({ eventFilter }) => matches(eventFilter, name));
}
