import type { CheckUrl } from "../../api/dependencies";
import { badRequest } from "../../api/errors";
import { words } from "../../api/openapi/schema";

export const WAYS = ["push", "pull"] as const;
export type Way = (typeof WAYS)[number];

/** The fields of a request that say how deliveries reach the receiver. */
type GivenWay = { delivery?: Way | null | undefined; url?: string | null | undefined };

export const deliveryWay = words("DeliveryWay", WAYS, {
  description:
    "How deliveries reach the receiver. `push` (the default): Hermod sends each to `url`. `pull`: the receiver reads them by POST " +
    "/endpoints/:id/receive, and the endpoint has no `url`. To switch to `push`, give both in one request.",
});

const NEEDED = 'url is required, unless delivery is "pull"';

/** Returns how an endpoint's deliveries reach its receiver. */
export function wayOf(url: string | null): Way {
  return url === null ? "pull" : "push";
}

/** Reads the URL of a new endpoint; null for one whose receiver reads. Throws 400. */
export function newUrl({ delivery, url }: GivenWay, checkUrl: CheckUrl): string | null {
  if (delivery === "pull") return pulledUrl(url);
  if (url === undefined || url === null) throw badRequest(NEEDED);
  return checkedUrl(url, checkUrl);
}

/** Reads a change of the URL; undefined if it stays. Throws 400. */
export function changedUrl({ delivery, url }: GivenWay, checkUrl: CheckUrl): string | null | undefined {
  if (delivery === "pull") return pulledUrl(url);
  if (url === null) throw badRequest(NEEDED);
  return url === undefined ? undefined : checkedUrl(url, checkUrl);
}

/** Throws 400 for a change that leaves open how the deliveries of the endpoint reach its receiver. */
export function refuseHalfSwitch(before: string | null, { delivery, url }: GivenWay): void {
  if (before !== null) return;
  if (delivery === "push" && !url) throw badRequest('delivery "push" needs a url in the same request');
  if (delivery === undefined && url)
    throw badRequest(
      'url needs delivery "push" in the same request, since the receiver of this endpoint reads',
    );
}

function pulledUrl(url: string | null | undefined): null {
  if (url) throw badRequest('url must be left out with delivery "pull"');
  return null;
}

function checkedUrl(text: string, checkUrl: CheckUrl): string {
  const verdict = checkUrl(text);
  if (!verdict.ok) throw badRequest(verdict.reason);
  // Keeps a bare origin as it was written: normalizing would add a slash, which makes no difference.
  return verdict.url === `${text}/` ? text : verdict.url;
}
