import { connect, type Socket } from "node:net";
import type { Claimant } from "../admission/admission";
import type { Deadline } from "../deadline";
import { ProxyFailure } from "../failure";
import type { ResolvedTarget } from "../targets/route";
import { Connection } from "./connection";
import { type EgressProxy, openTunnel } from "./egress-proxy";
import { type Keep, socketEvent } from "./socket";
import type { ReceiverTls } from "./tls";

/** Connects to checked addresses. */
export class Dialer {
  constructor(
    private readonly egressProxy: EgressProxy | null,
    private readonly tls: ReceiverTls,
  ) {}

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
      return await this.tls.secure(socket, target, claimant, keep);
    } catch (error) {
      giveUp();
      throw error instanceof ProxyFailure && deadline.hasPassed ? new ProxyFailure("proxy_timeout") : error;
    }
  }

  /** Connects to the target, through the proxy if there is one. */
  private async reach({ address: host, port, authority }: ResolvedTarget, keep: Keep): Promise<Socket> {
    if (this.egressProxy) return openTunnel(authority, this.egressProxy, keep);
    const socket = keep(connect({ host, port, noDelay: true }));
    await socketEvent(socket, "connect");
    return socket;
  }
}

function plain(socket: Socket): Connection {
  const connection = new Connection(socket);
  // A tunnel was paused behind the proxy's answer.
  socket.resume();
  return connection;
}
