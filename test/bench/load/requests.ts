import { stamp, timeOffset } from "../payload";
import { KEY_DIGITS } from "../system/client";

/** `timeAt`, `keyAt`: where its bytes have the time and the digits of its Idempotency-Key; below 0 without. */
type Prepared = { bytes: Buffer; timeAt: number; keyAt: number };

/** Requests made ahead, given out in turn. */
export class Requests {
  private turn = 0;
  private readonly requests: readonly Prepared[];

  constructor(requests: readonly Buffer[]) {
    this.requests = requests.map((bytes) => {
      const key = bytes.indexOf(`-${KEY_DIGITS}\r\n`);
      return { bytes, timeAt: timeOffset(bytes), keyAt: key < 0 ? key : key + 1 };
    });
  }

  /** The next request, with this time in its payload and a key of its own. Its bytes are good until its turn comes again. */
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
