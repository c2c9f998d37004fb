import type { Principal } from "../../accounts/authentication/principal";
import type { EndpointId } from "../../domain/ids";
import type { Endpoints } from "../../endpoints/endpoint";

/** Leaves the deliveries of feeds out of what a portal session sees: they are for those who run Hermod. */
export async function seenDeliveries<T>(
  { session }: Pick<Principal, "session">,
  endpoints: Pick<Endpoints, "feedsAmong">,
  all: readonly T[],
  endpointOf: (each: T) => EndpointId,
): Promise<readonly T[]> {
  if (!session?.portal || all.length === 0) return all;
  const feeds = await endpoints.feedsAmong(all.map(endpointOf));
  return feeds.size === 0 ? all : all.filter((each) => !feeds.has(endpointOf(each)));
}
