/** Standard output, whose reader may be slow, or have enough. */
export class StandardOutput {
  private behind: PromiseWithResolvers<void> | null = null;
  private isWaitedFor = true;

  /** `onEnough` hears that nobody reads on. */
  constructor(
    private readonly stream: NodeJS.WriteStream,
    onEnough: () => void,
  ) {
    stream.on("drain", () => this.catchUp());
    stream.on("error", () => {
      this.hurry();
      onEnough();
    });
  }

  write(text: string): void {
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
