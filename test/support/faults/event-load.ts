import { fieldOf, textIn } from "./hermod-client";
import type { LoadOptions } from "./load";
import type { Send, SendOutcome } from "./send";

export type EventLoadOptions = Omit<LoadOptions, "random" | "padding"> & {
  /** Gives every second event an id of the sender's own, and repeats it until it is answered. */
  ownIds?: boolean;
  /** Endpoints that get an event only while they are active. */
  others?: readonly string[];
};

/** The result of an event at each endpoint. */
type EventOutcome = { outcomeOf(endpoint: string): SendOutcome; eventId?: string };

const ANSWER_MS = 15_000;
const PAUSE_MS = 50;

let runs = 0;

/** Sends events that all of its endpoints want, and records the outcome of each delivery. */
export class EventLoad {
  readonly sends: Send[] = [];
  /** Answers that the published interface does not allow. */
  readonly misfits: string[] = [];
  /** Events that were answered 201. */
  accepted = 0;
  private readonly run = ++runs;
  private count = 0;
  private isOver = false;
  private working: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: EventLoadOptions) {}

  /** Records that a replay brought the events to further endpoints, which no answer to the client says. */
  brought(endpoints: readonly string[]): void {
    const [first] = this.options.endpoints;
    for (const send of this.sends.filter(({ endpoint }) => endpoint === first)) {
      for (const endpoint of endpoints) {
        const outcome = { kind: "unknown" as const, why: "brought later" };
        this.sends.push({
          ...send,
          event: undefined,
          marker: `${send.marker} and ${endpoint}`,
          endpoint,
          outcome,
        });
      }
    }
  }

  start(): this {
    const { workers, apis } = this.options;
    this.working = Promise.all(
      Array.from({ length: workers }, (_, i) => this.work(apis[i % apis.length] ?? "")),
    );
    return this;
  }

  /** Stops sending. Resolves once every event has its answer. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.working;
  }

  private async work(api: string): Promise<void> {
    const { workers, perSecond } = this.options;
    const interval = perSecond === undefined ? 0 : (1_000 * workers) / perSecond;
    while (!this.isOver) {
      const [isAccepted] = await Promise.all([this.sendOne(api), Bun.sleep(interval)]);
      if (!isAccepted) await Bun.sleep(PAUSE_MS);
    }
  }

  private async sendOne(api: string): Promise<boolean> {
    const { keys = [null] } = this.options;
    const event = `${this.run}-${++this.count}`;
    const orderingKey = keys[this.count % keys.length] ?? null;
    const data = JSON.stringify({ event });
    const key = orderingKey === null ? "" : `"ordering_key":${JSON.stringify(orderingKey)},`;
    const startedAt = Date.now();
    const ownId = this.options.ownIds && this.count % 2 === 0 ? `"event_id":"load ${event}",` : "";
    const { outcomeOf, eventId } = await this.postOnce(
      api,
      `{"event":"load.event",${ownId}${key}"data":${data}}`,
      ownId !== "",
    );
    const endedAt = Date.now();
    for (const endpoint of this.options.endpoints) {
      const outcome = outcomeOf(endpoint);
      this.sends.push({
        marker: `${event} to ${endpoint}`,
        endpoint,
        orderingKey,
        data,
        startedAt,
        endedAt,
        outcome,
        event,
        eventId,
      });
    }
    return outcomeOf(this.options.endpoints[0] ?? "").kind === "accepted";
  }

  /** Sends an event. One with an id of its own is repeated, to one API after the other, until it is answered. */
  private async postOnce(api: string, body: string, isRepeatable: boolean): Promise<EventOutcome> {
    const { apis } = this.options;
    for (let tries = 0; ; tries++) {
      const answer = await this.post(tries === 0 ? api : (apis[tries % apis.length] ?? api), body);
      const outcome = answer.outcomeOf(this.options.endpoints[0] ?? "");
      const isOpen = outcome.kind === "unknown" || (outcome.kind === "refused" && outcome.status >= 500);
      if (!isRepeatable || !isOpen || tries > 100) return answer;
      await Bun.sleep(PAUSE_MS);
    }
  }

  private async post(api: string, body: string): Promise<EventOutcome> {
    try {
      const response = await fetch(`${api}/v1/events`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.options.key}`, "content-type": "application/json" },
        signal: AbortSignal.timeout(ANSWER_MS),
        body,
      });
      return this.outcomesOf(response.status, await response.json());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { outcomeOf: () => ({ kind: "unknown", why }) };
    }
  }

  private outcomesOf(status: number, body: unknown): EventOutcome {
    if (status !== 201) return { outcomeOf: () => ({ kind: "refused", status }) };
    const { endpoints, others = [] } = this.options;
    const deliveries = fieldOf(body, "deliveries");
    const idOf = new Map(
      Array.isArray(deliveries) ? deliveries.map((each) => [each.endpoint_id, each.id]) : [],
    );
    const alsoAt = others.filter((endpoint) => idOf.has(endpoint));
    const isWhole =
      idOf.size === endpoints.length + alsoAt.length && endpoints.every((endpoint) => idOf.has(endpoint));
    if (!isWhole) this.misfits.push(JSON.stringify(body));
    this.accepted++;
    return {
      outcomeOf: (endpoint) => ({ kind: "accepted", id: String(idOf.get(endpoint)) }),
      eventId: textIn(body, "id"),
    };
  }
}
