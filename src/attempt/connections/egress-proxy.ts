import { percentDecoded } from "../../runtime/text/percent-encoding";

/** The HTTP proxy that all webhooks go through. */
export type EgressProxy = Readonly<{
  host: string;
  port: number;
  /** Value of the Proxy-Authorization header; null when the proxy wants none. */
  authorization: string | null;
}>;

/**
 * Parses `http://[user:password@]host:port`, user and password percent-encoded. Throws an error that shows nothing of the
 * text, since it may hold a password.
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

/** Returns "user:password" (RFC 7617); empty without them, null if they are badly encoded. */
function credentialsOf({ username, password }: URL): string | null {
  if (username === "" && password === "") return "";
  return percentDecoded(`${username}:${password}`);
}
