import { stamp, timeOffset } from "../payload";
import { KEY_DIGITS } from "../system/client";

/** `timeAt`, `keyAt`: the positions of the time and of the Idempotency-Key's digits; negative without. */
type Prepared = { bytes: Buffer; timeAt: number; keyAt: number };

/** Requests made in advance, used in turn. */
export class Requests {
  private turn = 0;
  private readonly requests: readonly Prepared[];

  constructor(requests: readonly Buffer[]) {
    this.requests = requests.map((bytes) => {
      const key = bytes.indexOf(`-${KEY_DIGITS}\r\n`);
      return { bytes, timeAt: timeOffset(bytes), keyAt: key < 0 ? key : key + 1 };
    });
  }

  /** Returns the next request, with this time and a new key. Its bytes stay valid until it is used again. */
  next(now: number): Buffer {
    const turn = this.turn++;
    const request = this.requests[turn % this.requests.length];
    if (!request) throw new Error("there are no requests");
    const { bytes, timeAt, keyAt } = request;
    stamp(bytes, timeAt, now);
    if (keyAt >= 0) bytes.write(String(turn).padStart(KEY_DIGITS.length, "0"), keyAt, "latin1");
    return bytes;
  }
}
