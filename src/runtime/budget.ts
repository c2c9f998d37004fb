/** Counts what many users hold together, such as bytes in memory. They keep the bound: each looks at `isFull` before it takes more. */
export class Budget {
  private total = 0;

  constructor(private readonly most: number) {}

  get held(): number {
    return this.total;
  }

  get isFull(): boolean {
    return this.total >= this.most;
  }

  /** Adds to what is held, or subtracts if negative. */
  change(by: number): void {
    this.total += by;
  }
}
