import type { Endpoint } from "../../client/types";

type NamedEndpoint = Pick<Endpoint, "id" | "description" | "url">;

/** Returns an endpoint's name: its description, else the host of its URL. */
export function nameOf({ description, ...endpoint }: NamedEndpoint): string {
  return description?.trim() || hostOf(addressOf(endpoint));
}

/** Returns where an endpoint's deliveries go: its URL, or its id if its receiver reads them. */
export function addressOf({ id, url }: Pick<NamedEndpoint, "id" | "url">): string {
  return url ?? id;
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host || url;
}
