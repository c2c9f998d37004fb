import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { Clock } from "../runtime/clock";
import { AnswerReader } from "./answer-reader";
import { Connection } from "./connection";
import type { Cutoff } from "./cutoff";
import type { EgressProxy } from "./egress-proxy";
import { ConnectionLost, ProxyRefusal } from "./failure";
import { Handshakes } from "./handshakes";
import type { HeadRoom } from "./head-room";
import type { Visitor } from "./places";
import { receiverTls, type TlsRules } from "./receiver-tls";
import type { ResolvedTarget } from "./route";
import { Wire } from "./wire";

export type DialerOptions = {
  egressProxy: EgressProxy | null;
  tls: TlsRules;
  clock: Clock;
  /** For what comes of handshakes that have to wait. */
  room: HeadRoom;
};

/** Has a socket destroyed when the connection is given up, or never comes about. */
type Keep = <S extends Socket>(socket: S) => S;

/** Makes connections to addresses that were checked. */
export class Dialer {
  private readonly handshakes: Handshakes;
  private readonly tls: ConnectionOptions;

  constructor(private readonly options: DialerOptions) {
    this.handshakes = new Handshakes(options.clock);
    this.tls = receiverTls(options.tls);
  }

  /** Whether the proxy is told the request itself; one with TLS goes through a tunnel. */
  isRelayed({ isSecure }: ResolvedTarget): boolean {
    return this.options.egressProxy !== null && !isSecure;
  }

  /** Connects; rejects with the error of the socket when there is no connection, or none that can be trusted. */
  async dial(target: ResolvedTarget, visitor: Visitor, cutoff: Cutoff): Promise<Connection> {
    const sockets: Socket[] = [];
    const giveUp = () => {
      for (const socket of sockets) socket.destroy();
    };
    const keep: Keep = (socket) => {
      // Without a listener an error would end the process; who waits for the socket hears of it too.
      sockets.push(socket.on("error", () => {}));
      cutoff.onCut(giveUp);
      return socket;
    };
    try {
      const socket = await this.reach(target, keep);
      if (!target.isSecure) return new Connection(socket);
      const wire = new Wire(socket, { visitor, handshakes: this.handshakes, room: this.options.room });
      return new Connection(await this.secured(wire, target, keep), wire);
    } catch (error) {
      giveUp();
      throw error;
    }
  }

  /** A socket whose other end is the receiver's, or a proxy's that is told the request itself. */
  private async reach(target: ResolvedTarget, keep: Keep): Promise<Socket> {
    const { egressProxy } = this.options;
    const { host, port } = egressProxy ?? { host: target.address, port: target.port };
    const socket = keep(connect({ host, port, noDelay: true }));
    await happened(socket, "connect");
    if (egressProxy && target.isSecure) await this.tunnel(socket, target, egressProxy);
    return socket;
  }

  /** The certificate is checked against the name in the URL, or the address when there is none. */
  private async secured(
    wire: Wire,
    { address: host, serverName }: ResolvedTarget,
    keep: Keep,
  ): Promise<Socket> {
    const servername = serverName ?? undefined;
    const secured = keep(connectTls({ ...this.tls, host, servername, socket: wire }));
    await happened(secured, "secureConnect");
    // It could have certificates checked at any time, out of turn.
    secured.disableRenegotiation();
    wire.open();
    return secured;
  }

  /** Asks the proxy for the address that was checked, never for a name (RFC 9110, 9.3.6). */
  private async tunnel(
    socket: Socket,
    target: ResolvedTarget,
    { authorization }: EgressProxy,
  ): Promise<void> {
    const { authority } = target;
    const credentials = authorization === null ? "" : `proxy-authorization: ${authorization}\r\n`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${credentials}\r\n`);
    const status = await statusFrom(socket);
    if (status === 407) throw new ProxyRefusal("proxy_credentials");
    if (status < 200 || status > 299) throw new ProxyRefusal("tunnel_refused");
  }
}

/** Rejects when the socket fails or is closed before. */
function happened(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket
      .once(event, resolve)
      .once("error", reject)
      .once("close", () => reject(new ConnectionLost()));
  });
}

/** The status of a proxy's answer to CONNECT: behind its head the tunnel begins, or ends. */
function statusFrom(socket: Socket): Promise<number> {
  const reader = new AnswerReader();
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new ProxyRefusal("tunnel_refused"));
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
