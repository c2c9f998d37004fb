import { percentDecoded } from "../../runtime/percent-encoding";

/** An HTTP proxy that webhooks leave by. */
export type EgressProxy = Readonly<{
  host: string;
  port: number;
  /** Value of the Proxy-Authorization header; null when the proxy wants none. */
  authorization: string | null;
}>;

/**
 * Reads `http://[user:password@]host:port`, name and password percent-encoded. Throws when a text is not of this form; the
 * error shows none of it, for it may hold a password.
 */
export function parseProxyUrl(text: string): EgressProxy {
  const url = URL.parse(text);
  const isBare = url?.pathname === "/" && url.search === "" && url.hash === "";
  const credentials = url === null ? null : credentialsOf(url);
  if (url?.protocol !== "http:" || !isBare || credentials === null) {
    throw new Error("it must have the form http://[user:password@]host:port");
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || "80"),
    authorization: credentials === "" ? null : `Basic ${Buffer.from(credentials).toString("base64")}`,
  };
}

/** "user:password" (RFC 7617); empty when there are none, null when they are not well encoded. */
function credentialsOf({ username, password }: URL): string | null {
  if (username === "" && password === "") return "";
  return percentDecoded(`${username}:${password}`);
}
