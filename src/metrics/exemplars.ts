/** Keeps the last traced observation of each bucket, which OpenMetrics shows, so that a graph leads to a trace. */
export class Exemplars {
  /** The exemplars, by the beginning of the bucket's line. */
  private readonly last = new Map<string, string>();

  /** Stores an observation. `bounds` are the histogram's, ascending; `at` is Unix milliseconds. */
  note(histogram: string, bounds: readonly number[], value: number, traceparent: string, at: number): void {
    const [, traceId] = traceparent.split("-");
    const bound = bounds.find((each) => value <= each) ?? "+Inf";
    this.last.set(`${histogram}_bucket{le="${bound}"}`, ` # {trace_id="${traceId}"} ${value} ${at / 1_000}`);
  }

  /** Converts the text format of Prometheus to OpenMetrics 1.0, which has other names of counters and an end line. */
  openMetrics(text: string): string {
    const lines = text.split("\n").filter((line) => line !== "");
    const converted = lines.map((line) =>
      line.startsWith("# ") ? line.replace(/^(# \w+ \S+)_total /, "$1 ") : line + this.of(line),
    );
    return `${converted.join("\n")}\n# EOF\n`;
  }

  private of(line: string): string {
    return this.last.get(line.slice(0, line.indexOf(" "))) ?? "";
  }
}
