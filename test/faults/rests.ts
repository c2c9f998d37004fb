import type { Violation } from "../support/faults/checker/evidence";
import { KEY } from "../support/faults/cluster";
import { fieldOf, HermodClient, textIn } from "../support/faults/hermod-client";
import type { Ledger } from "../support/faults/ledger";
import { until } from "../support/faults/until";

/** A request that a fault swallows is repeated. */
const ANSWER_MS = 3_000;

export type RestsOptions = {
  /** Base URLs of the API processes. */
  apis: readonly string[];
  /** Endpoints whose events wait while they are inactive. */
  held: readonly string[];
  /** Endpoints that get no delivery of events meanwhile, and are brought them later. */
  skipping: readonly string[];
};

/** Sets endpoints inactive and active during faults, and starts replays of the events that some of them missed. */
export class Rests {
  private readonly jobs: string[] = [];
  private asked = 0;
  /** Deliveries that replays brought. */
  brought = 0;

  constructor(private readonly options: RestsOptions) {}

  get skipping(): readonly string[] {
    return this.options.skipping;
  }

  async rest(forMs: number): Promise<void> {
    await this.setActive(false);
    await Bun.sleep(forMs);
    await this.setActive(true);
    await this.bring();
  }

  /** Starts replays until no event is missing. */
  async bringAll(): Promise<void> {
    await this.bring();
    for (const job of this.jobs) {
      const isOver = async () => {
        const body = await this.ask("GET", `/jobs/${job}`);
        const isCompleted = fieldOf(body, "status") === "completed";
        return isCompleted ? { done: Number(fieldOf(fieldOf(body, "progress"), "done")) } : null;
      };
      const { done } = await until(isOver, { pollMs: 100, what: `the end of job ${job}` });
      this.brought += done;
    }
  }

  /** Returns the events that endpoints still lack. */
  missed({ events, deliveries }: Ledger): Violation[] {
    return this.options.skipping.flatMap((endpoint): Violation[] => {
      const own = new Set(deliveries.flatMap((row) => (row.endpoint === endpoint ? (row.event ?? []) : [])));
      const missing = events.filter(({ id }) => !own.has(id));
      const detail = `${missing.length} events were never brought, such as ${missing[0]?.id}`;
      return missing.length === 0 ? [] : [{ guarantee: "nothing is lost", endpoint, detail }];
    });
  }

  private async setActive(is_active: boolean): Promise<void> {
    const { held, skipping } = this.options;
    const change = (endpoint: string) => this.ask("PATCH", `/endpoints/${endpoint}`, { is_active });
    await Promise.all([...held, ...skipping].map(change));
  }

  private async bring(): Promise<void> {
    const start = (endpoint: string) => this.ask("POST", `/endpoints/${endpoint}/replay`, { missing: true });
    const jobs = await Promise.all(this.options.skipping.map(start));
    this.jobs.push(...jobs.map((body) => textIn(body, "id")));
  }

  /** Asks one API after the other until a request succeeds. */
  private async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const { apis } = this.options;
    const once = async () => {
      const client = new HermodClient(apis[this.asked++ % apis.length] ?? "", KEY);
      const answer = await client.ask(method, path, body, ANSWER_MS);
      if (answer.status < 300) return { body: answer.body };
      throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    };
    const what = `an answer to ${method} ${path}`;
    return (await until(once, { pollMs: 100, what })).body;
  }
}
