import type { Clock } from "../runtime/clock";

/** Time between two reports within a table. */
const REPORT_EVERY_MS = 5_000;

/** Reports the rows of each table while it is exported or imported, and at its end. */
export class Progress {
  /** Rows of all tables so far. */
  total = 0;
  private table = "";
  private rows = 0;
  private reportedAt = 0;

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly report: (line: string) => void,
  ) {}

  begin(table: string): void {
    this.table = table;
    this.rows = 0;
    this.reportedAt = this.clock.monotonic();
  }

  add(rows: number): void {
    this.rows += rows;
    this.total += rows;
    const now = this.clock.monotonic();
    if (now - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = now;
    this.report(`${this.table}: ${this.rows} rows so far`);
  }

  end(): void {
    if (this.rows > 0) this.report(`${this.table}: ${this.rows} rows`);
  }
}
