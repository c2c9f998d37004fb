import { connect, type Socket } from "node:net";
import { percentDecoded } from "../../runtime/text/plain-text";
import { OwnFailure, ProxyFailure } from "../failure";
import { AnswerReader } from "../http1/answer-reader";
import { type Keep, socketEvent } from "./socket";

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

/**
 * Opens a tunnel to host and port through the proxy (RFC 9110, 9.3.6), for http too: a proxy that reads a request
 * sends it on to the host in its request line, and there the address would take the place of the receiver's name.
 * Rejects with `ProxyFailure`.
 */
export async function openTunnel(authority: string, proxy: EgressProxy, keep: Keep): Promise<Socket> {
  const { host, port, authorization } = proxy;
  const socket = keep(connect({ host, port, noDelay: true }));
  try {
    await socketEvent(socket, "connect");
  } catch (cause) {
    throw cause instanceof OwnFailure ? cause : new ProxyFailure("proxy_unreachable", { cause });
  }
  const credentials = authorization === null ? "" : `proxy-authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${credentials}\r\n`);
  const status = await statusFrom(socket);
  if (status === 407) throw new ProxyFailure("proxy_credentials");
  if (status < 200 || status > 299) throw new ProxyFailure("tunnel_refused", { status });
  return socket;
}

/** Reads the status of the proxy's answer. Behind its head the tunnel begins, so the socket is paused there. */
function statusFrom(socket: Socket): Promise<number> {
  const reader = new AnswerReader();
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new ProxyFailure("tunnel_refused"));
    const take = (bytes: Buffer) => {
      try {
        reader.read(bytes);
      } catch {
        refuse();
      }
      if (reader.status === 0) return;
      socket.off("data", take).off("close", refuse).pause();
      resolve(reader.status);
    };
    socket.on("data", take).on("close", refuse);
  });
}
