import { fieldOf } from "./hermod-client";
import type { Random } from "./random";
import type { Send, SendOutcome } from "./send";

export type LoadOptions = {
  /** Base URLs of the API processes. Each worker uses one of them. */
  apis: readonly string[];
  key: string;
  endpoints: readonly string[];
  /** Ordering keys to draw from. Without them the sends have none. */
  keys?: readonly (string | null)[];
  random: Random;
  /** Requests under way at once. */
  workers: number;
  /** Sends per second over all workers. Without it each worker sends as soon as it is answered. */
  perSecond?: number;
  /** Seconds until the deliveries are due. Without it they are due at once. */
  deliverAfter?: number | undefined;
  /** Characters of padding in each payload. */
  padding?: number;
};

const ANSWER_MS = 15_000;
/** The wait after a failed send, so that a service that is down is not stormed. */
const PAUSE_MS = 50;

let runs = 0;

/** Sends webhooks to endpoints drawn at random, and records each outcome. */
export class Load {
  readonly sends: Send[] = [];
  /** Answers that the published interface does not allow. */
  readonly misfits: string[] = [];
  private readonly run = ++runs;
  private count = 0;
  private isOver = false;
  private working: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: LoadOptions) {}

  start(): this {
    const { workers, apis } = this.options;
    const all = Array.from({ length: workers }, (_, i) => this.work(apis[i % apis.length] ?? ""));
    this.working = Promise.all(all);
    return this;
  }

  /** Stops sending. Resolves once every send has its answer. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.working;
  }

  /** Sends exactly `count` webhooks. Resolves once all have their answers. */
  async sendAll(count: number): Promise<void> {
    const stopAt = this.count + count;
    const { workers, apis } = this.options;
    const work = async (api: string) => {
      while (this.count < stopAt) await this.sendOne(api);
    };
    await Promise.all(Array.from({ length: workers }, (_, i) => work(apis[i % apis.length] ?? "")));
  }

  /** The number of sends that were answered 201. */
  get accepted(): number {
    return this.sends.filter((send) => send.outcome.kind === "accepted").length;
  }

  private async work(api: string): Promise<void> {
    const { workers, perSecond } = this.options;
    const interval = perSecond === undefined ? 0 : (1_000 * workers) / perSecond;
    while (!this.isOver) {
      const startedAt = performance.now();
      const { kind } = await this.sendOne(api);
      const rest = interval - (performance.now() - startedAt);
      if (kind !== "accepted") await Bun.sleep(Math.max(PAUSE_MS, rest));
      else if (rest > 0) await Bun.sleep(rest);
    }
  }

  private async sendOne(api: string): Promise<SendOutcome> {
    const { random, endpoints, keys = [null], padding = 0, deliverAfter } = this.options;
    const marker = `${this.run}-${++this.count}`;
    const endpoint = random.pick(endpoints);
    const orderingKey = random.pick(keys);
    const data = JSON.stringify({ marker, padding: "x".repeat(padding) });
    const key = orderingKey === null ? "" : `"ordering_key":${JSON.stringify(orderingKey)},`;
    const due = deliverAfter === undefined ? "" : `"deliver_after":${deliverAfter},`;
    const startedAt = Date.now();
    const outcome = await this.post(
      api,
      `{"endpoint_id":"${endpoint}","event":"load.test",${key}${due}"data":${data}}`,
    );
    const isScheduled = deliverAfter !== undefined;
    const endedAt = Date.now();
    this.sends.push({ marker, endpoint, orderingKey, data, startedAt, endedAt, outcome, isScheduled });
    return outcome;
  }

  private async post(api: string, body: string): Promise<SendOutcome> {
    try {
      const response = await fetch(`${api}/v1/webhooks`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.options.key}`, "content-type": "application/json" },
        signal: AbortSignal.timeout(ANSWER_MS),
        body,
      });
      return this.outcomeOf(response, await response.text());
    } catch (error) {
      return { kind: "unknown", why: error instanceof Error ? error.message : String(error) };
    }
  }

  private outcomeOf({ status, headers }: Response, text: string): SendOutcome {
    const body: unknown = JSON.parse(text);
    const id = fieldOf(body, "id");
    if (status === 201 && typeof id === "string") return { kind: "accepted", id };
    const code = fieldOf(fieldOf(body, "error"), "code");
    const isFit = status >= 400 && typeof code === "string" && (status !== 503 || headers.has("retry-after"));
    if (!isFit) this.misfits.push(`${status} ${text}`);
    return { kind: "refused", status };
  }
}
