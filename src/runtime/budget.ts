/** Counts a resource that many users share, such as bytes in memory. Each user must look at `isFull` before it takes more. */
export class Budget {
  private total = 0;

  constructor(private readonly most: number) {}

  get held(): number {
    return this.total;
  }

  get isFull(): boolean {
    return this.total >= this.most;
  }

  /** Adds to the total, or subtracts if negative. */
  change(by: number): void {
    this.total += by;
  }
}

/** The part of a budget that one user holds. A class, since a closure takes five times the memory (measured). */
export class BudgetShare {
  private held = 0;

  constructor(private readonly budget: Pick<Budget, "change">) {}

  set(held: number): void {
    this.budget.change(held - this.held);
    this.held = held;
  }
}
