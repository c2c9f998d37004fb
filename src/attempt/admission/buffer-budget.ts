/** Most bytes of unfinished heads and waiting handshakes, over all exchanges. */
const MAX_HELD = 64 * 1_048_576;

/**
 * Bounds the memory for input that can't be used yet. Otherwise thousands of receivers that send large heads without an end
 * would fill it.
 */
export class BufferBudget {
  private held = 0;

  constructor(private readonly most = MAX_HELD) {}

  get isFull(): boolean {
    return this.held >= this.most;
  }

  /** Adds `by` bytes, or subtracts them if negative. */
  change(by: number): void {
    this.held += by;
  }
}
