import { TargetError } from "../failure";
import { type Address, familyOf } from "./address";

/** The address to connect to, and the path to request. */
export type ResolvedTarget = Readonly<{
  /** The checked address, without brackets; the name itself if the proxy looks names up. */
  address: string;
  port: number;
  /** True if the URL is https. */
  isSecure: boolean;
  /** The address and the port as URLs have them. */
  authority: string;
  /** Path and query. */
  path: string;
  /** Scheme, Host header and address. Targets of an account with the same key may share a connection. */
  key: string;
  /** Value of the Host header. */
  host: string;
  /** The name that was looked up; null if the URL has an address. */
  name: string | null;
  /** The name for SNI and certificate; null for http and for a URL with an address. */
  serverName: string | null;
}>;

/** A parsed URL, kept so that an attempt need not parse it again. */
export class Route {
  /** The host, if it is an address. */
  readonly literal: Address | null;
  /** The name to look up, if it is not. */
  readonly name: string | null;
  readonly host: string;
  private readonly serverName: string | null;
  private readonly isSecure: boolean;
  private readonly port: number;
  private readonly path: string;
  private last: ResolvedTarget | null = null;

  /** Throws `TargetError` if the URL is neither http nor https, or is http where https is required. */
  constructor(text: string, requireHttps: boolean) {
    const url = URL.parse(text);
    if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
      throw new TargetError("invalid_url", null);
    }
    if (requireHttps && url.protocol !== "https:") {
      throw new TargetError("https_required", null);
    }
    this.literal = literalOf(url.hostname);
    this.name = this.literal ? null : nameOf(url.hostname);
    this.host = url.host;
    this.isSecure = url.protocol === "https:";
    this.serverName = this.name !== null && this.isSecure ? withoutDot(url.hostname) : null;
    this.port = Number(url.port || (this.isSecure ? "443" : "80"));
    this.path = `${url.pathname}${url.search}`;
  }

  /** Returns the target at this address; as a rule the same object as before. */
  at(address: string): ResolvedTarget {
    if (this.last?.address === address) return this.last;
    const { host, name, serverName, isSecure, port, path } = this;
    const authority = `${address.includes(":") ? `[${address}]` : address}:${port}`;
    this.last = {
      address,
      port,
      isSecure,
      authority,
      path,
      key: `${isSecure ? "https" : "http"}://${host} ${authority}`,
      host,
      name,
      serverName,
    };
    return this.last;
  }
}

function literalOf(hostname: string): Address | null {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  const family = familyOf(address);
  return family === null ? null : { address, family };
}

/** Returns the name to look up. All names below `localhost` are this machine too (RFC 6761, 6.3). */
function nameOf(hostname: string): string {
  const name = withoutDot(hostname);
  return name.endsWith(".localhost") ? "localhost" : name;
}

/** Drops the dot at the end of an absolute name, which neither TLS nor look-ups take. */
function withoutDot(hostname: string): string {
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}
