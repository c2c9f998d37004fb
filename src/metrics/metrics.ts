import { Counter, Gauge, Histogram, Registry } from "prom-client";

type Family = Readonly<{ name: string; help: string }>;

type Labels = Readonly<Partial<Record<string, string | number>>>;

/** prom-client's value, with the name of its sample if that is not the family's. */
type Value = Readonly<{ metricName?: string; labels: Labels; value: number }>;

/** A value at a moment. A histogram has one for each bucket (`…_bucket`, by `le`), `…_sum` and `…_count`. */
export type Sample = Readonly<{ name: string; labels: Labels; value: number }>;

export type MetricFamily = Family &
  Readonly<{ type: "counter" | "gauge" | "histogram"; samples: readonly Sample[] }>;

export type MetricsFormat = "text" | "openmetrics";

/** Publishes a process's metrics in the text format of Prometheus, and in OpenMetrics. */
export class Metrics {
  /** Traces of observations. Only OpenMetrics shows them. */
  readonly exemplars = new Exemplars();
  private readonly registry = new Registry();

  /** Adds counters by a label. Publishes `known` labels as 0 from the start, so that a rate includes their first increase. */
  counterBy<Label extends string>(
    family: Family,
    labelNames: readonly Label[],
    known: readonly Readonly<Record<Label, string>>[],
  ): Counter<Label> {
    const counter = new Counter({ ...family, labelNames, registers: [this.registry] });
    for (const labels of known) counter.inc(labels, 0);
    return counter;
  }

  /** Adds a histogram. `buckets` are upper bounds, in the unit at the end of the name. */
  histogram<Label extends string = never>(
    family: Family,
    buckets: readonly number[],
    labelNames: readonly Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ ...family, labelNames, buckets: [...buckets], registers: [this.registry] });
  }

  /** Adds a counter that is counted elsewhere and read at each scrape. */
  total(family: Family, read: () => number): void {
    const collect = function (this: Counter) {
      this.reset();
      this.inc(read());
    };
    new Counter({ ...family, registers: [this.registry], collect });
  }

  /** Adds counters by a label that are counted elsewhere and read at each scrape. */
  totalBy<Label extends string>(family: Family, label: Label, read: () => ReadonlyMap<string, number>): void {
    const collect = function (this: Counter<Label>) {
      this.reset();
      for (const [value, total] of read()) this.inc({ [label]: value } as Record<Label, string>, total);
    };
    new Counter({ ...family, labelNames: [label], registers: [this.registry], collect });
  }

  /** Adds a gauge that is read at each scrape. If it can't be read, the scrape omits it. */
  gauge(family: Family, read: () => number | Promise<number>): void {
    const collect = async function (this: Gauge) {
      const value = await Promise.resolve()
        .then(read)
        .catch(() => null);
      if (value === null) this.remove();
      else this.set(value);
    };
    new Gauge({ ...family, registers: [this.registry], collect });
  }

  /** Adds a metric that is always 1 and has facts about the process as labels. */
  info<Label extends string>(family: Family, labels: Readonly<Record<Label, string>>): void {
    const labelNames = Object.keys(labels) as Label[];
    new Gauge<Label>({ ...family, labelNames, registers: [this.registry] }).set(labels, 1);
  }

  /** Reads the present values of all metrics. */
  async read(): Promise<MetricFamily[]> {
    const families = await this.registry.getMetricsAsJSON();
    return families.map(({ name, help, type, values }) => ({
      name,
      help,
      type: String(type) as MetricFamily["type"],
      samples: values.map((each: Value) => ({
        name: each.metricName ?? name,
        labels: each.labels,
        value: each.value,
      })),
    }));
  }

  /** Writes the present values of all metrics. */
  async write(format: MetricsFormat): Promise<{ contentType: string; text: string }> {
    const text = await this.registry.metrics();
    return format === "text"
      ? { contentType: Registry.PROMETHEUS_CONTENT_TYPE, text }
      : { contentType: Registry.OPENMETRICS_CONTENT_TYPE, text: this.exemplars.openMetrics(text) };
  }
}

/** Bounds of short durations, in seconds: a commit takes some milliseconds, an attempt up to its timeout. */
export const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Bounds of long durations, in seconds: deliveries behind an unreachable receiver may be hours late. */
export const DELAYS = [...DURATIONS, 60, 300, 1_800, 3_600, 21_600, 86_400];

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
