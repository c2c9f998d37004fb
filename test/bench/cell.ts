import { cpuTimes } from "./cpu";
import { Requests } from "./load/requests";
import type { Receiver } from "./receiver/receiver";
import type { TallyOptions, TallyReport } from "./receiver/tally";
import type { Figures } from "./scenario";
import type { RunningRole, System } from "./system/system";

/** If nothing arrives for this long, the missing deliveries will not come. */
const STALL_MS = 20_000;
const POLL_MS = 25;

/** A promise that a run broke. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
}

/** One run of a scenario on one system, with its own endpoints and counts, on servers that earlier runs used. */
export class Cell {
  constructor(
    readonly system: System,
    readonly receiver: Receiver,
    /** Its name at the receiver. */
    readonly run: string,
    readonly seconds: number,
  ) {}

  /** Creates endpoints, and a request for each. */
  async prepare(port: number, endpoints: number, options: Partial<TallyOptions> = {}): Promise<Requests> {
    await this.receiver.begin(this.run, { delayMs: 0, failingEvery: null, ...options });
    const client = this.system.client(port);
    const all = Array.from({ length: endpoints }, (_, i) => ({ url: this.receiver.urlOf(this.run, i) }));
    const ids = await client.register(all);
    return new Requests(ids.map((id) => client.requestTo(id)));
  }

  /** Resolves once the first delivery has arrived. */
  async untilFirst(role: RunningRole): Promise<void> {
    await this.untilDelivered(role, 1);
  }

  /** Resolves once this many were delivered, or nothing has arrived for long. */
  async untilDelivered(role: RunningRole, count: number): Promise<TallyReport> {
    let report = await this.receiver.report(this.run);
    let progressAt = performance.now();
    while (report.delivered < count && performance.now() - progressAt < STALL_MS) {
      await Bun.sleep(POLL_MS);
      await role.check();
      const { delivered } = report;
      report = await this.receiver.report(this.run);
      if (report.delivered > delivered) progressAt = performance.now();
    }
    return report;
  }

  /** Waits for every accepted delivery, and checks that each came once and, if promised, in order. */
  async untilAll(
    role: RunningRole,
    load: { accepted: number; refused: number },
    { isOrdered = true } = {},
  ): Promise<TallyReport> {
    const report = await this.untilDelivered(role, load.accepted);
    const { delivered, repeats, violations } = report;
    const broken: string[] = [];
    if (delivered !== load.accepted) broken.push(`${delivered} delivered of ${load.accepted} accepted`);
    if (isOrdered && violations > 0) broken.push(`${violations} out of order`);
    if (repeats > 0) broken.push(`${repeats} repeated, though nothing crashed`);
    if (load.refused > 0) broken.push(`${load.refused} refused`);
    if (broken.length > 0) throw new BrokenPromise(`${this.run}: ${broken.join(", ")}`);
    return report;
  }

  /** Starts to count CPU time. The returned function returns the milliseconds used since. */
  async countCpu(role: RunningRole): Promise<() => Promise<CpuUse>> {
    const before = await this.cpuNow(role);
    return async () => {
      const now = await this.cpuNow(role);
      return {
        service: now.service - before.service,
        postgres: now.postgres - before.postgres,
        nats: now.nats - before.nats,
        receiver: now.receiver - before.receiver,
        load: now.load - before.load,
      };
    };
  }

  private async cpuNow(role: RunningRole): Promise<CpuUse> {
    const { postgres: postgresPid, nats: natsPid } = this.system.servers.pids;
    const times = await cpuTimes([role.pid, postgresPid, natsPid, this.receiver.pid]);
    const [service = 0, postgres = 0, nats = 0, receiver = 0] = times;
    const own = process.cpuUsage();
    return { service, postgres, nats, receiver, load: (own.user + own.system) / 1_000 };
  }
}

/** CPU milliseconds by process; `load` is the bench itself. */
export type CpuUse = { service: number; postgres: number; nats: number; receiver: number; load: number };

/**
 * Returns the microseconds of CPU for each of `count`, by process, the system's sum first. On a busy machine these vary less
 * than rates and times.
 */
export function cpuPerItem(use: CpuUse, count: number): Figures {
  const perItem = (ms: number) => (ms * 1_000) / count;
  return {
    "cpu µs": perItem(use.service + use.postgres + use.nats),
    "cpu service µs": perItem(use.service),
    "cpu postgres µs": perItem(use.postgres),
    "cpu nats µs": perItem(use.nats),
    "cpu of receiver µs": perItem(use.receiver),
    "cpu of load µs": perItem(use.load),
  };
}
