/** A person's or a service's address, with a name for people; "" for none. */
export type NamedAddress = Readonly<{ name: string; address: string }>;

// A dot-string (RFC 5321, 4.1.2), without the characters that reroute mail (% and !), quote, or separate (& ? /).
const LOCAL_PART = /^[\w+=~'-]+(?:\.[\w+=~'-]+)*$/;
const DOMAIN = /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)*(?!-)[a-z0-9-]{1,63}(?<!-)$/i;
/** Most characters before the @, and behind it (RFC 5321, 4.5.3.1). */
export const MAX_LOCAL_PART = 64;
export const MAX_DOMAIN = 253;

/** Returns the address with its domain in lower case; null if the text is not one plain address in ASCII. */
export function plainAddress(text: string): string | null {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const isPlain = at > 0 && local.length <= MAX_LOCAL_PART && LOCAL_PART.test(local) && isDomain(domain);
  return isPlain ? `${local}@${domain.toLowerCase()}` : null;
}

export function isDomain(text: string): boolean {
  return text.length <= MAX_DOMAIN && DOMAIN.test(text);
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Parses `alerts@example.com` or `Hermod <alerts@example.com>`. Throws for anything else. */
export function parseNamedAddress(text: string): NamedAddress {
  const [, name = "", bracketed = text] = /^([^<>"\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? [];
  const address = plainAddress(bracketed);
  if (address === null) throw new Error("it must be an address such as Hermod <alerts@example.com>");
  return { name: name.trim(), address };
}
