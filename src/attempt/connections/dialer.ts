import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { Clock } from "../../runtime/clock";
import type { Claimant } from "../admission/admission";
import { HandshakeQueue } from "../admission/handshake-queue";
import type { BufferBudget } from "../admission/memory";
import type { Deadline } from "../deadline";
import { ProxyFailure } from "../failure";
import type { ResolvedTarget } from "../targets/route";
import { Connection } from "./connection";
import type { EgressProxy } from "./egress-proxy";
import { openTunnel } from "./egress-proxy";
import { type Keep, SecureWrites, socketEvent } from "./socket";
import { receiverTls, type TlsRules, TlsTransport } from "./tls";

export type DialerOptions = {
  egressProxy: EgressProxy | null;
  tls: TlsRules;
  clock: Clock;
  /** Memory for the input of waiting handshakes. */
  room: BufferBudget;
};

/** Connects to checked addresses. */
export class Dialer {
  private readonly handshakes: HandshakeQueue;
  private readonly tls: ConnectionOptions;

  constructor(private readonly options: DialerOptions) {
    this.handshakes = new HandshakeQueue(options.clock);
    this.tls = receiverTls(options.tls);
  }

  /** Connects, and checks the certificate. Rejects with the socket's error. */
  async dial(target: ResolvedTarget, claimant: Claimant, deadline: Deadline): Promise<Connection> {
    const sockets: Socket[] = [];
    const giveUp = () => {
      for (const socket of sockets) socket.destroy();
    };
    const keep: Keep = (socket) => {
      // Without a listener an error would end the process. The promises below reject with it too.
      sockets.push(socket.on("error", () => {}));
      deadline.onPassed(giveUp);
      return socket;
    };
    try {
      const socket = await this.reach(target, keep);
      if (!target.isSecure) return plain(socket);
      const wire = new TlsTransport(socket, {
        claimant,
        handshakes: this.handshakes,
        room: this.options.room,
      });
      const began = this.options.clock.monotonic();
      const secured = await this.secured(wire, target, keep);
      const connection = new Connection(secured, new SecureWrites(secured, wire));
      connection.tlsMs = this.options.clock.monotonic() - began;
      return connection;
    } catch (error) {
      giveUp();
      throw error instanceof ProxyFailure && deadline.hasPassed ? new ProxyFailure("proxy_timeout") : error;
    }
  }

  /** Connects to the target, through the proxy if there is one. */
  private async reach({ address: host, port, authority }: ResolvedTarget, keep: Keep): Promise<Socket> {
    const { egressProxy } = this.options;
    if (egressProxy) return openTunnel(authority, egressProxy, keep);
    const socket = keep(connect({ host, port, noDelay: true }));
    await socketEvent(socket, "connect");
    return socket;
  }

  /** Checks the certificate against the name in the URL, or against the address if the URL has one. */
  private async secured(
    wire: TlsTransport,
    { address: host, serverName }: ResolvedTarget,
    keep: Keep,
  ): Promise<Socket> {
    const servername = serverName ?? undefined;
    const secured = keep(connectTls({ ...this.tls, host, servername, socket: wire }));
    await socketEvent(secured, "secureConnect");
    // Refuses renegotiation (TLS 1.2), which would bypass the handshake queue at half the cost of a first handshake. Go
    // and rustls refuse it too.
    secured.disableRenegotiation();
    wire.open();
    return secured;
  }
}

function plain(socket: Socket): Connection {
  const connection = new Connection(socket);
  // A tunnel was paused behind the proxy's answer.
  socket.resume();
  return connection;
}
