import { join } from "node:path";
import { Child } from "../child";
import type { Order, TallyOptions, TallyReport } from "./tally";

/** Controls the receiver's process. */
export class Receiver {
  private constructor(
    private readonly child: Child,
    private readonly base: string,
    private readonly secureBase: string,
  ) {}

  static async start(logFile: string): Promise<Receiver> {
    const script = join(import.meta.dir, "main.ts");
    const child = Child.start({ name: "receiver", command: [process.execPath, script], env: {}, logFile });
    const [, base = "", secureBase = ""] = await child.line(/^ready (\S+) (\S+)/m);
    return new Receiver(child, base, secureBase);
  }

  get pid(): number {
    return this.child.pid;
  }

  urlOf(run: string, endpoint: number): string {
    return `${this.base}/${run}/${endpoint}`;
  }

  /** The same over HTTPS. */
  secureUrlOf(run: string, endpoint: number): string {
    return `${this.secureBase}/${run}/${endpoint}`;
  }

  async begin(run: string, options: TallyOptions): Promise<void> {
    await fetch(`${this.base}/control/${run}`, { method: "PUT", body: JSON.stringify(options) });
  }

  async report(run: string): Promise<TallyReport> {
    const response = await fetch(`${this.base}/control/${run}`);
    return (await response.json()) as TallyReport;
  }

  /** Changes how a run's deliveries are answered from now on. */
  async instruct(run: string, order: Order): Promise<void> {
    const body = JSON.stringify(order);
    await fetch(`${this.base}/control/${run}`, { method: "PATCH", body });
  }

  async forget(run: string): Promise<void> {
    await fetch(`${this.base}/control/${run}`, { method: "DELETE" });
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}
