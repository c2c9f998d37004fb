import { expect } from "bun:test";
import { check } from "./checker/check";
import { type Cluster, KEY } from "./cluster";
import { lagsOf, quantile, speedReturns } from "./lag";
import { Load } from "./load";
import { Random } from "./random";
import { until } from "./until";

/** A lag that only messages reach: a sweep every second or two takes longer. */
const FAST_MS = 150;
/**
 * A missing stream is noticed by its keeper after 2 s, and by a consumer at its second missing heartbeat. Nodes of NATS that
 * start on a busy machine may elect several times.
 */
const RECOVERY_MS = 60_000;
const ENDPOINTS = 40;
const SENDS_PER_SECOND = 100;

/** Breaks NATS under load. Every send must be accepted, and the deliveries must be as fast as before in the end. */
export class Trial {
  private readonly loads: Load[] = [];

  constructor(
    private readonly cluster: Cluster,
    /** Characters of padding in each payload. */
    private readonly padding = 0,
    private readonly perSecond = SENDS_PER_SECOND,
  ) {}

  /** Runs a load, calls `harm` in the middle of it with the median lag so far, and checks the promises. */
  async underLoad(harm: (usualMs: number) => Promise<unknown>): Promise<void> {
    const { cluster, loads } = this;
    const load = await this.newLoad();
    loads.push(load.start());
    try {
      await until(() => lagsOf(load.sends, cluster.book, 0).length > 50, { what: "a load" });
      const usualMs = quantile(lagsOf(load.sends, cluster.book, 0), 0.5);
      await harm(usualMs);
      await this.halfWithin(Math.max(FAST_MS, 3 * usualMs));
    } finally {
      await load.stop();
    }
    await cluster.settled();
    expect(check(await cluster.evidence(loads))).toEqual([]);
    expect(load.misfits).toEqual([]);
    expect(load.accepted).toBe(load.sends.length);
  }

  /** Resolves once receivers have got `count` more requests. */
  async received(count: number): Promise<void> {
    const { receipts } = this.cluster.book;
    const before = receipts.length;
    await until(() => receipts.length > before + count, { what: `${count} deliveries` });
  }

  /** Resolves once half of the last load arrives within `mostMs`. */
  async halfWithin(mostMs: number): Promise<void> {
    const sends = this.loads.at(-1)?.sends ?? [];
    await speedReturns(sends, this.cluster.book, mostMs, RECOVERY_MS);
  }

  /** Returns the 99th percentile of the lag, in milliseconds, of deliveries sent from now until `over`. */
  async lagUntil(over: Promise<unknown>): Promise<number> {
    const since = Date.now();
    await over;
    const sends = this.loads.flatMap((load) => load.sends);
    return quantile(lagsOf(sends, this.cluster.book, since), 0.99);
  }

  private async newLoad(): Promise<Load> {
    const endpoints = await this.cluster.newEndpoints(ENDPOINTS);
    const apis = [this.cluster.client.baseUrl];
    const { padding, perSecond } = this;
    const random = new Random(3);
    return new Load({ apis, key: KEY, endpoints, random, padding, workers: 16, perSecond });
  }
}
