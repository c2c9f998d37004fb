import { connect, type Socket } from "node:net";
import { ProxyFailure } from "../failure";
import { AnswerReader } from "../http1/answer-reader";
import { OwnFailure } from "../own-failure";
import type { EgressProxy } from "./egress-proxy";
import { type Keep, socketEvent } from "./socket-event";

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
        reader.take(bytes);
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
