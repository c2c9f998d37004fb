import type { Endpoint } from "../../client/types";

/** Returns an endpoint's name: its description, else the host of its URL. */
export function nameOf({ description, url }: Pick<Endpoint, "description" | "url">): string {
  return description?.trim() || hostOf(url);
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host || url;
}
