import { percentDecoded } from "../../runtime/text/plain-text";

/** The operator's server for outgoing mail. */
export type MailServer = Readonly<{
  host: string;
  port: number;
  /** True for TLS from the first byte. Without it the session changes to TLS by STARTTLS. */
  isSecure: boolean;
  login: Readonly<{ user: string; pass: string }> | null;
}>;

const PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

/**
 * Parses `smtp://[user:password@]host[:port]`, or the same with smtps; user and password percent-encoded. Throws an error that
 * shows nothing of the text, since it may hold a password.
 */
export function parseMailServer(text: string): MailServer {
  const url = URL.parse(text);
  const port = PORTS[url?.protocol ?? ""];
  const isBare = ["", "/"].includes(url?.pathname ?? "") && url?.search === "" && url.hash === "";
  const user = percentDecoded(url?.username ?? "");
  const pass = percentDecoded(url?.password ?? "");
  const isWhole = (user === "") === (pass === "");
  if (!url?.hostname || !port || !isBare || user === null || pass === null || !isWhole)
    throw new Error("it must have the form smtp://[user:password@]host[:port] or smtps://…");
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || port),
    isSecure: url.protocol === "smtps:",
    login: user === "" ? null : { user, pass },
  };
}
