import { Admission, type Claimant, ReceiverSpeeds } from "./admission";
import type { Body, ExchangeResult, SendRequest } from "./exchange";
import { Exchanger, type ExchangerOptions } from "./exchanger";

export type SenderOptions = ExchangerOptions & {
  /** Most exchanges at a time. Other requests wait, see `Admission`. */
  maxInFlight: number;
};

const UNSENT: ExchangeResult = { kind: "unsent" };

type Sized = Claimant & Readonly<{ bytes: number }>;

/** Most bytes of bodies that the kernel has not taken. Small bodies don't count, since the kernel takes them at once. */
export const MAX_BODY_BYTES = 64 * 1_048_576;
export const SMALL_BODY_BYTES = 16_384;

/** Sends requests to receivers: admits each when there is a slot, and memory for its body; then exchanges it. */
export class Sender {
  private readonly slots: Admission;
  /** Admits large bodies into memory. A slot is a byte. */
  private readonly bodyMemory = new Admission<Sized>(MAX_BODY_BYTES, ({ bytes }) => bytes);
  private readonly speeds = new ReceiverSpeeds();
  private readonly exchanger: Exchanger;

  constructor({ maxInFlight, ...options }: SenderOptions) {
    this.slots = new Admission(maxInFlight);
    this.exchanger = new Exchanger(options);
  }

  /** Number of exchanges under way. */
  get inFlight(): number {
    return this.slots.occupied;
  }

  /** Number of requests that wait for a slot, or for memory for their body. */
  get queued(): number {
    return this.slots.queued + this.bodyMemory.queued;
  }

  /** Sends a POST. Follows no redirect, and repeats no request that a receiver may have answered. Never rejects. */
  send(request: SendRequest): Promise<ExchangeResult> {
    const { account, endpoint, isFailing } = request.owner;
    const claimant = { account, speed: this.speeds.of(endpoint, isFailing) };
    return isLight(request) ? this.sendInTurn(request, claimant) : this.sendHeavy(request, claimant);
  }

  /** Drops waiting requests whose guard says no, so that a partition drains without them. */
  dropUnwanted(): void {
    this.bodyMemory.dropUnwanted();
    this.slots.dropUnwanted();
  }

  /** Closes idle connections. Exchanges under way continue. */
  close(): void {
    this.exchanger.close();
  }

  /** Reserves memory for a large body, from before it is read until the kernel has taken it. */
  private async sendHeavy(request: SendRequest, claimant: Claimant): Promise<ExchangeResult> {
    const sized = { ...claimant, bytes: weightOf(request.body) };
    if (!(await this.bodyMemory.enter(sized, () => request.guard.stillWanted()))) return UNSENT;
    let isInside = true;
    const leave = () => {
      if (isInside) this.bodyMemory.leave(sized);
      isInside = false;
    };
    try {
      const body = typeof request.body === "string" ? request.body : await request.body.read();
      if (body === null) return UNSENT;
      // A message for people is short, however large its payload is.
      if (weightOf(body) === 0) leave();
      return await this.sendInTurn({ ...request, body, onSent: leave }, claimant);
    } finally {
      leave();
    }
  }

  private async sendInTurn(request: SendRequest<string>, claimant: Claimant): Promise<ExchangeResult> {
    if (!(await this.slots.enter(claimant, () => request.guard.stillWanted()))) return UNSENT;
    try {
      const result = await this.exchanger.exchange(request, claimant);
      if (result.kind === "exchanged") this.speeds.note(request.owner.endpoint, result.exchange);
      return result;
    } finally {
      this.slots.leave(claimant);
    }
  }
}

/** Returns the bytes of a body that count towards `MAX_BODY_BYTES`. */
function weightOf(body: Body): number {
  if (typeof body !== "string") return body.bytes;
  return body.length > SMALL_BODY_BYTES ? Buffer.byteLength(body) : 0;
}

function isLight(request: SendRequest): request is SendRequest<string> {
  return weightOf(request.body) === 0;
}
