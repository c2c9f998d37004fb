import type { Counter } from "prom-client";
import type { Metrics } from "./metrics";

const RESULTS = ["answered", "silent"] as const;

/** Measures how a process finds the cells of accounts and keys. */
export class DirectoryMeter {
  private readonly questions: Counter<"cell" | "result">;

  constructor(
    private readonly metrics: Metrics,
    cells: readonly string[],
  ) {
    this.questions = metrics.counterBy(
      {
        name: "hermod_directory_questions_total",
        help: "Questions to cells for what the directory lacks, each for up to 500 keys and accounts.",
      },
      ["cell", "result"],
      cells.flatMap((cell) => RESULTS.map((result) => ({ cell, result }))),
    );
  }

  asked(cell: string, result: (typeof RESULTS)[number]): void {
    this.questions.inc({ cell, result });
  }

  /** Publishes the state of the directory at each scrape. */
  show(figures: { answers(): Promise<boolean>; remembered(): number }): void {
    this.metrics.gauge(
      { name: "hermod_directory_up", help: "1 while the NATS of the directory of cells answers." },
      async () => Number(await figures.answers()),
    );
    this.metrics.gauge(
      { name: "hermod_directory_remembered", help: "Keys and accounts whose cell this process remembers." },
      figures.remembered,
    );
  }
}
