import type { Clock } from "../runtime/clock";

/** Where the time of an exchange went, in whole milliseconds. Null: the step was not needed, or did not end. */
export type Timing = Readonly<{
  lookupMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the first byte of the request to the first byte of the answer. */
  firstByteMs: number | null;
}>;

/** Notes how an exchange goes: the address, and when each step ended. */
export class ExchangeTrace {
  /** Address and port, the last one tried. */
  address: string | null = null;
  private lookupMs: number | null = null;
  private connectMs: number | null = null;
  private tlsMs: number | null = null;
  private sentAt: number | null = null;
  private answeredAt: number | null = null;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  lookedUp(sinceMs: number): void {
    this.lookupMs = this.clock.monotonic() - sinceMs;
  }

  /** `tlsMs`: the part that the handshake took; null without TLS. */
  connected(sinceMs: number, tlsMs: number | null): void {
    this.connectMs = this.clock.monotonic() - sinceMs - (tlsMs ?? 0);
    this.tlsMs = tlsMs;
  }

  /** The request is about to be written. */
  sending(): void {
    this.sentAt = this.clock.monotonic();
  }

  /** Bytes of the answer arrived. */
  answering(): void {
    this.answeredAt ??= this.clock.monotonic();
  }

  get timing(): Timing {
    const { sentAt, answeredAt } = this;
    return {
      lookupMs: rounded(this.lookupMs),
      connectMs: rounded(this.connectMs),
      tlsMs: rounded(this.tlsMs),
      firstByteMs: sentAt === null || answeredAt === null ? null : Math.round(answeredAt - sentAt),
    };
  }
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}
