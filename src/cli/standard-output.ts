/** Standard output, whose reader may be slow, or have enough. */
export class StandardOutput {
  private behind: PromiseWithResolvers<void> | null = null;
  private isWaitedFor = true;
  private isBroken = false;

  /** `onError` hears, once, that what is written gets nowhere any more. */
  constructor(
    private readonly stream: NodeJS.WriteStream,
    onError: (error: NodeJS.ErrnoException) => void,
  ) {
    stream.on("drain", () => this.catchUp());
    stream.on("error", (error) => {
      if (this.isBroken) return;
      this.isBroken = true;
      this.hurry();
      onError(error);
    });
  }

  write(text: string): void {
    if (this.isBroken) return;
    if (!this.stream.write(text) && this.isWaitedFor) this.behind ??= Promise.withResolvers();
  }

  /** Resolves once the reader has taken what was written. */
  async drained(): Promise<void> {
    await this.behind?.promise;
  }

  /** From now on nothing waits for the reader, who still gets what is written. */
  hurry(): void {
    this.isWaitedFor = false;
    this.catchUp();
  }

  private catchUp(): void {
    this.behind?.resolve();
    this.behind = null;
  }
}
