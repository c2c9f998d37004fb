import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect,
  createSecureContext,
  type PeerCertificate,
} from "node:tls";
import type { Budget } from "../../runtime/budget";
import type { Clock } from "../../runtime/clock";
import { FairQueue } from "../../runtime/queues/fair-queue";
import type { Claimant } from "../admission";
import { HandshakeTooLarge } from "../failure";
import type { ResolvedTarget } from "../targets/route";
import { Connection } from "./connection";
import { DoneCallbacks, type Keep, SocketWrites, socketEvent, TlsWrites } from "./socket";

export type TlsRules = Readonly<{
  /** PEM of authorities to trust in place of the usual ones. */
  certificateAuthorities?: string;
  /** Permits TLS 1.2 without forward secrecy. Off unless given. */
  allowStaticRsa?: boolean;
}>;

/** Makes TLS connections to receivers. */
export class ReceiverTls {
  private readonly handshakes: HandshakeQueue;
  private readonly options: ConnectionOptions;

  constructor(
    { certificateAuthorities: ca, allowStaticRsa = false }: TlsRules,
    private readonly clock: Clock,
    private readonly buffers: Budget,
  ) {
    this.handshakes = new HandshakeQueue(clock);
    // Excludes static RSA: a key that is stolen later would decrypt every recorded connection.
    const ciphers = allowStaticRsa ? "DEFAULT" : "DEFAULT:!kRSA";
    this.options = {
      // Made once, since reading the authorities takes milliseconds.
      secureContext: createSecureContext({ ca, ciphers }),
      ALPNProtocols: ["http/1.1"],
      checkServerIdentity: checkIdentity,
    };
  }

  /** Checks the certificate against the name in the URL, or against the address if the URL has one. */
  async secure(
    socket: Socket,
    { address: host, serverName }: ResolvedTarget,
    claimant: Claimant,
    keep: Keep,
  ): Promise<Connection> {
    const { clock, handshakes, buffers } = this;
    const began = clock.monotonic();
    const transport = new TlsTransport(socket, { claimant, handshakes, buffers });
    const servername = serverName ?? undefined;
    const secured = keep(connect({ ...this.options, host, servername, socket: transport }));
    await socketEvent(secured, "secureConnect");
    // Refuses renegotiation (TLS 1.2), which would bypass the handshake queue at half the cost of a first handshake. Go
    // and rustls refuse it too.
    secured.disableRenegotiation();
    transport.open();
    const connection = new Connection(secured, new TlsWrites(secured, transport));
    connection.tlsMs = clock.monotonic() - began;
    return connection;
  }
}

/**
 * Returns why a certificate does not match the host. Ignores the common name (RFC 9525, 2), since authorities do not
 * vet it, and name constraints do not cover it.
 */
function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const { CN: _, ...subject } = certificate.subject ?? {};
  return checkServerIdentity(host, { ...certificate, subject } as PeerCertificate);
}

/** Most bytes that a receiver may send in a handshake. Certificates have 4 KB together, as a rule. */
export const MAX_HANDSHAKE_BYTES = 65_536;
/** Most bytes of a handshake while the buffer budget is used up. */
export const SMALL_HANDSHAKE_BYTES = 16_384;

export type TlsTransportOptions = Readonly<{
  claimant: Claimant;
  handshakes: Pick<HandshakeQueue, "run">;
  buffers: Budget;
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
  private readonly waiting = new DoneCallbacks(() => this.isDrained);
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

  /** Ends the handshake. Later input goes to TLS at once. */
  open(): void {
    this.isOpen = true;
    this.proceed();
  }

  /** Passes the waiting input to TLS. */
  proceed(): void {
    const bytes = this.release();
    if (bytes.length > 0) this.push(bytes);
    if (this.isOver) this.push(null);
  }

  override _read(): void {
    // Input arrives by itself.
  }

  /** True if the kernel has taken all that TLS has written. */
  get isDrained(): boolean {
    return this.writableLength === 0 && !this.wasCut;
  }

  /** Calls back once the kernel has taken all, or at once if it has. */
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
    const { buffers, handshakes } = this.options;
    if (this.isOpen) {
      this.push(bytes);
      return;
    }
    this.arrived += bytes.length;
    if (this.arrived > (buffers.isFull ? SMALL_HANDSHAKE_BYTES : MAX_HANDSHAKE_BYTES)) {
      this.destroy(new HandshakeTooLarge());
      return;
    }
    buffers.change(bytes.length);
    if (this.held.push(bytes) === 1) handshakes.run(this);
  }

  /** Ends the input. Waiting input goes to TLS first. */
  private finish(): void {
    this.isOver = true;
    if (this.held.length === 0) this.push(null);
  }

  private release(): Buffer {
    const bytes = Buffer.concat(this.held.splice(0));
    this.options.buffers.change(-bytes.length);
    return bytes;
  }
}

/** A TLS handshake with waiting input. */
export type Handshake = Readonly<{ claimant: Claimant; proceed(): void }>;

/** Handshakes may take this many milliseconds in a row. */
export const IN_A_ROW_MS = 10;
/** Length of the pause after that, as a share of the time taken. An ordinary handshake takes half a millisecond. */
const PAUSE_SHARE = 1 / 3;

/**
 * Limits how much of the one thread TLS handshakes take. A hostile chain of certificates takes a tenth of a second to check,
 * and there may be thousands. After a few handshakes everything else runs; waiting handshakes go round-robin by account and
 * speed, so none waits for another account's, or for endpoints that always take long.
 */
export class HandshakeQueue {
  private readonly waiting = new FairQueue<Handshake>({
    ownerOf: ({ claimant }) => `${claimant.account} ${claimant.speed}`,
    weigh: () => 1,
  });
  /** Milliseconds that handshakes took lately, less the pauses. */
  private busyMs = 0;
  private lastAt = Number.NEGATIVE_INFINITY;
  private isPaused = false;

  constructor(private readonly clock: Pick<Clock, "monotonic" | "after">) {}

  /** Runs the handshake now, or queues it during a pause. */
  run(handshake: Handshake): void {
    if (this.isPaused) this.waiting.add(handshake);
    else this.proceed(handshake);
  }

  private proceed(handshake: Handshake): void {
    const began = this.clock.monotonic();
    handshake.proceed();
    const ended = this.clock.monotonic();
    const recoveredMs = (began - this.lastAt) / PAUSE_SHARE;
    this.busyMs = Math.max(0, this.busyMs - recoveredMs) + ended - began;
    this.lastAt = ended;
    if (this.busyMs >= IN_A_ROW_MS) this.pause();
  }

  private pause(): void {
    this.isPaused = true;
    this.clock.after(this.busyMs * PAUSE_SHARE, () => this.resume());
  }

  private resume(): void {
    this.isPaused = false;
    while (!this.isPaused && this.waiting.size > 0) {
      for (const handshake of this.waiting.take(1, 1)) this.proceed(handshake);
    }
  }
}
