/** Standard output, whose reader may be slow or close early. */
export class StandardOutput {
  private behind: PromiseWithResolvers<void> | null = null;
  private isWaitedFor = true;
  private isBroken = false;

  /** Calls `onError` once when output can't be written any more. */
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

  /** Resolves when the reader has taken everything. */
  async drained(): Promise<void> {
    await this.behind?.promise;
  }

  /** Stops waiting for the reader from now on. Output is still written. */
  hurry(): void {
    this.isWaitedFor = false;
    this.catchUp();
  }

  private catchUp(): void {
    this.behind?.resolve();
    this.behind = null;
  }
}
