import type { TargetCheck } from "../../attempt/targets/target";
import { domainOf, isDomain, plainAddress } from "./mail-address";

/** The scheme of an endpoint that gets e-mail. */
const SCHEME = "mailto:";

/** Returns the recipient, which follows the scheme in a checked URL. */
export function recipientIn(url: string): string {
  return url.slice(SCHEME.length);
}

/** The addresses that the operator lets accounts send e-mail to. */
export class Recipients {
  private constructor(
    private readonly everybody: boolean,
    /** Addresses, and domains as `@example.com`, in lower case. */
    private readonly listed: ReadonlySet<string>,
  ) {}

  /** Parses addresses, domains such as `@example.com`, or `*` for everybody, with commas between them. Throws. */
  static parse(list: string): Recipients {
    const items = list.split(",").map((item) => item.trim());
    for (const item of items) {
      const isDomainItem = item.startsWith("@") && isDomain(item.slice(1));
      if (item === "*" || isDomainItem || plainAddress(item) !== null) continue;
      throw new Error(`"${item}" is not an address, a domain such as @example.com, or *`);
    }
    return new Recipients(items.includes("*"), new Set(items.map((item) => item.toLowerCase())));
  }

  /** A domain permits its own addresses, and none of its subdomains. Compares without case, as mail servers do. */
  permits(address: string): boolean {
    const compared = address.toLowerCase();
    return this.everybody || this.listed.has(compared) || this.listed.has(`@${domainOf(compared)}`);
  }
}

/**
 * Checks a URL that begins with `mailto:` in any case, and returns the form that is stored. It may hold one address and nothing
 * else: fields such as ?cc= would add recipients. `recipients`: null without a mail server.
 */
export function checkMailUrl(text: string, recipients: Recipients | null): TargetCheck {
  if (recipients === null)
    return refuse("url must begin with http:// or https://: this service sends no e-mail (HERMOD_SMTP_URL)");
  const address = plainAddress(recipientIn(text));
  if (address === null)
    return refuse("url must be mailto: and one plain address, such as mailto:ops@example.com");
  if (!recipients.permits(address))
    return refuse("url must have a recipient that this service permits (HERMOD_SMTP_RECIPIENTS)");
  return { ok: true, url: SCHEME + address };
}

function refuse(reason: string): TargetCheck {
  return { ok: false, reason };
}
