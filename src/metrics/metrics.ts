import { Counter, Gauge, Histogram, Registry } from "prom-client";

type Family = Readonly<{ name: string; help: string }>;

/** What a process tells of itself, in the text format of Prometheus. */
export class Metrics {
  private readonly registry = new Registry();

  get contentType(): string {
    return this.registry.contentType;
  }

  /** `known` are told from the beginning, as 0: a rate sees the first of them only then. */
  counterBy<Label extends string>(
    family: Family,
    labelNames: readonly Label[],
    known: readonly Readonly<Record<Label, string>>[],
  ): Counter<Label> {
    const counter = new Counter({ ...family, labelNames, registers: [this.registry] });
    for (const labels of known) counter.inc(labels, 0);
    return counter;
  }

  /** `buckets` are upper bounds, in the unit that the name ends with. */
  histogram<Label extends string = never>(
    family: Family,
    buckets: readonly number[],
    labelNames: readonly Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ ...family, labelNames, buckets: [...buckets], registers: [this.registry] });
  }

  /** What only grows, and is counted elsewhere: read at each scrape. */
  total(family: Family, read: () => number): void {
    const collect = function (this: Counter) {
      this.reset();
      this.inc(read());
    };
    new Counter({ ...family, registers: [this.registry], collect });
  }

  /** The same by the values of a label. */
  totalBy<Label extends string>(family: Family, label: Label, read: () => ReadonlyMap<string, number>): void {
    const collect = function (this: Counter<Label>) {
      this.reset();
      for (const [value, total] of read()) this.inc({ [label]: value } as Record<Label, string>, total);
    };
    new Counter({ ...family, labelNames: [label], registers: [this.registry], collect });
  }

  /** What is as it is at the moment of a scrape. What can't be read then is left out, and the others are told. */
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

  /** The facts that tell one process from another, as labels of a figure that is always 1. */
  info<Label extends string>(family: Family, labels: Readonly<Record<Label, string>>): void {
    const labelNames = Object.keys(labels) as Label[];
    new Gauge<Label>({ ...family, labelNames, registers: [this.registry] }).set(labels, 1);
  }

  /** Everything, as it is now. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
