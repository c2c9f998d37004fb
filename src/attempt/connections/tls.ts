import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import {
  type ConnectionOptions,
  checkServerIdentity,
  createSecureContext,
  type PeerCertificate,
} from "node:tls";
import type { Claimant } from "../admission/admission";
import type { HandshakeQueue } from "../admission/handshake-queue";
import type { BufferBudget } from "../admission/memory";
import { HandshakeTooLarge } from "../failure";
import { SocketWrites, Waiting } from "./socket";

/** Most bytes that a receiver may send in a handshake. Certificates have 4 KB together, as a rule. */
export const MAX_HANDSHAKE_BYTES = 65_536;
/** The same while the buffer budget is used up. */
export const SMALL_HANDSHAKE_BYTES = 16_384;

export type TlsTransportOptions = Readonly<{
  claimant: Claimant;
  handshakes: Pick<HandshakeQueue, "take">;
  room: BufferBudget;
}>;

/** Carries TLS over a socket. During the handshake, input waits for its turn in the `HandshakeQueue`. */
export class TlsTransport extends Duplex {
  readonly claimant: Claimant;
  private isOpen = false;
  private isOver = false;
  /** Bytes that arrived during the handshake. */
  private arrived = 0;
  private readonly held: Buffer[] = [];
  private readonly writes: SocketWrites;
  private readonly waiting = new Waiting(() => this.isDrained);
  private wasCut = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: TlsTransportOptions,
  ) {
    super();
    this.claimant = options.claimant;
    this.writes = new SocketWrites(socket);
    socket
      .on("data", (bytes: Buffer) => this.arrive(bytes))
      .on("end", () => this.finish())
      .on("error", (error) => this.destroy(error))
      .on("close", () => this.finish())
      .resume();
  }

  /** The handshake is over. */
  open(): void {
    this.isOpen = true;
    this.proceed();
  }

  /** Passes the input that has arrived to TLS. */
  proceed(): void {
    const bytes = this.release();
    if (bytes.length > 0) this.push(bytes);
    if (this.isOver) this.push(null);
  }

  override _read(): void {
    // Input arrives by itself.
  }

  /** Whether the kernel has taken all that TLS has written. */
  get isDrained(): boolean {
    return this.writableLength === 0 && !this.wasCut;
  }

  /** Calls back once the kernel has taken all; at once if it has. */
  whenDrained(call: () => void): void {
    this.waiting.add(call);
  }

  // Never calls `done` with an error: the socket's own event reports a lost connection.
  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.writes.write(bytes);
    this.writes.whenDone(() => {
      done();
      this.waiting.check();
    });
  }

  override _final(done: () => void): void {
    this.socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.wasCut = this.writableLength > 0;
    this.release();
    this.socket.destroy();
    done(error);
  }

  private arrive(bytes: Buffer): void {
    const { room, handshakes } = this.options;
    if (this.isOpen) {
      this.push(bytes);
      return;
    }
    this.arrived += bytes.length;
    if (this.arrived > (room.isFull ? SMALL_HANDSHAKE_BYTES : MAX_HANDSHAKE_BYTES)) {
      this.destroy(new HandshakeTooLarge());
      return;
    }
    room.change(bytes.length);
    if (this.held.push(bytes) === 1) handshakes.take(this);
  }

  /** The receiver sends no more. Input that has arrived is passed on first. */
  private finish(): void {
    this.isOver = true;
    if (this.held.length === 0) this.push(null);
  }

  private release(): Buffer {
    const bytes = Buffer.concat(this.held.splice(0));
    this.options.room.change(-bytes.length);
    return bytes;
  }
}

export type TlsRules = Readonly<{
  /** PEM of authorities to trust in place of the usual ones. */
  certificateAuthorities?: string;
  /** Permits TLS 1.2 without forward secrecy. Off unless given. */
  allowStaticRsa?: boolean;
}>;

/** Rules for the TLS of a receiver; made once, since reading the authorities takes milliseconds. */
export function receiverTls({
  certificateAuthorities: ca,
  allowStaticRsa = false,
}: TlsRules): ConnectionOptions {
  // Excludes static RSA: a key that is stolen later would decrypt every recorded connection.
  const ciphers = allowStaticRsa ? "DEFAULT" : "DEFAULT:!kRSA";
  return {
    secureContext: createSecureContext({ ca, ciphers }),
    ALPNProtocols: ["http/1.1"],
    checkServerIdentity: checkIdentity,
  };
}

/**
 * Returns why a certificate does not match the host. Ignores the common name (RFC 9525, 2), since authorities do not
 * vet it, and name constraints do not cover it.
 */
function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const { CN: _, ...subject } = certificate.subject ?? {};
  return checkServerIdentity(host, { ...certificate, subject } as PeerCertificate);
}
