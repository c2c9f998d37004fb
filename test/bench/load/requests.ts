import { stamp, timeOffset } from "../payload";

/** Requests made ahead, one an endpoint, given out in turn. */
export class Requests {
  private turn = 0;

  constructor(private readonly requests: readonly Buffer[]) {}

  /** The next request, with this time in its payload. Its bytes are good until its turn comes again. */
  next(now: number): Buffer {
    const request = this.requests[this.turn++ % this.requests.length];
    if (!request) throw new Error("there are no requests");
    stamp(request, timeOffset(request), now);
    return request;
  }
}
