/** What exchanges may hold together of heads that have begun and not ended, and of handshakes that wait; bytes. */
const MAX_HELD = 64 * 1_048_576;

/**
 * Room for what came and is no use yet, such as heads in pieces: thousands of receivers that send a large one without its end
 * would fill the memory.
 */
export class BufferBudget {
  private held = 0;

  constructor(private readonly most = MAX_HELD) {}

  get isFull(): boolean {
    return this.held >= this.most;
  }

  /** So many bytes more are held, or less. */
  change(by: number): void {
    this.held += by;
  }
}
