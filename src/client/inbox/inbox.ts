import { Hermod } from "../hermod.ts";
import { rawField, rawItems } from "../raw-field.ts";
import { BodyTooLarge, readBody } from "../received-body.ts";
import {
  type ReceivedHeaders,
  type ReceivedWebhook,
  textOfBody,
  verify,
  verifyBatch,
  WebhookVerificationError,
} from "../verify.ts";
import type { InboxDatabase, InboxQuery } from "./database.ts";
import { INBOX_STATEMENTS } from "./statements.ts";
import {
  type ArrivedNumber,
  arrive,
  beginOrder,
  finish,
  moveFrontier,
  moveFrontierTo,
  postpone,
  prune,
  readBacklog,
  readFrontier,
  type TakenNumber,
  takeNext,
} from "./store.ts";

/** A webhook whose work is to be done once. */
export type InboxEvent<Data = unknown> = Readonly<{
  /** The `webhook-id`. */
  id: string;
  /** The delivery's number at its endpoint. */
  sequence: number;
  event: string | null;
  orderingKey: string | null;
  data: Data;
  /** The text of `data` as it was sent. `data` rounds numbers beyond 2^53. */
  text: string;
}>;

/** The receiver's work. Whatever it writes with `tx` commits together with the note that it is done. */
export type InboxWork<Tx> = (tx: Tx, event: InboxEvent) => Promise<unknown> | unknown;

export type InboxOptions = Readonly<{
  /** The endpoint's id, `ep_…`. Several endpoints may share the table. */
  endpoint: string;
  /** True: the endpoint has a `batch_size` above 1, so a request has several webhooks. Their work is done in one transaction. */
  batched?: boolean;
  /** The name of the inbox in the table: the endpoint's id by default. Another name begins anew. */
  name?: string;
  /** The endpoint's signing secret; several while one is being replaced. */
  secrets: string | readonly string[];
  /**
   * True: the work is done strictly by number. Webhooks that come early are stored and answered 2xx. With ordering keys, webhooks
   * of different keys don't wait for each other.
   */
  ordered?: boolean;
  /** `ordered`: the first number to do work for; earlier ones are skipped. 1 by default. */
  from?: number;
  /** `ordered`: where to read numbers that don't arrive, with the receiver's key of the endpoint. */
  catchUp?: Readonly<{ url: string; key: string; afterSeconds?: number }>;
  /** Most bytes of a request's body; 2 MiB by default, twice the largest payload. Larger requests are answered 413. */
  maxBodyBytes?: number;
  /** Learns of work that failed. Prints by default. */
  onError?: (error: unknown, event: InboxEvent | null) => void;
}>;

/** Numbers that a process works on at the same time; with one ordering key, always one. */
const AT_ONCE = 8;
/** Numbers of an ordering key whose work commits together. */
const BATCH = 20;
/** The time after which a missing number is read from the log. */
const CATCH_UP_AFTER_S = 10;
/** How often waiting work is looked at while no webhooks arrive. */
const LOOK_AGAIN_MS = 1_000;
const LOG_PAGE = 500;

/**
 * Does the work for each webhook once. The number of the webhook and the work commit together, so a repeat finds the number and
 * does nothing.
 */
export class Inbox<Tx> {
  private running = 0;
  private looksAgain = false;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isClosed = false;
  private begun: Promise<void> | null = null;
  private readonly name: string;

  constructor(
    private readonly database: InboxDatabase<Tx>,
    private readonly options: InboxOptions,
  ) {
    this.name = options.name ?? options.endpoint;
  }

  /** Creates the table `hermod_inbox` unless it exists. Call it once, before the first webhook. */
  async createTable(): Promise<void> {
    const { createTable, createIndex } = INBOX_STATEMENTS;
    for (const statement of [createTable, createIndex]) await this.database.query(statement, []);
  }

  /** Answers a webhook: 2xx if its work is done or stored, 4xx if it is no webhook of the endpoint, 500 if the work failed. */
  async handle(request: Request, work: InboxWork<Tx>): Promise<Response> {
    try {
      const body = await readBody(request, this.options.maxBodyBytes);
      const taken = await this.take(body, request.headers, work);
      return new Response(null, { status: taken === "done" ? 204 : 202 });
    } catch (error) {
      if (error instanceof WebhookVerificationError) return new Response(error.message, { status: 401 });
      if (error instanceof BodyTooLarge) return new Response(error.message, { status: 413 });
      if (error instanceof NoNumber) return new Response(error.message, { status: 400 });
      this.report(error, null);
      return new Response("The work failed; see the receiver's log", { status: 500 });
    }
  }

  /**
   * Does the same for frameworks without `Request`. Throws a `WebhookVerificationError`, or the error of the work. `stored`: the
   * work follows, since earlier numbers have not arrived.
   */
  async take(
    body: Uint8Array | string,
    headers: ReceivedHeaders,
    work: InboxWork<Tx>,
  ): Promise<"done" | "stored"> {
    const text = textOfBody(body);
    const { ordered = false, from = 1 } = this.options;
    // Deliveries are numbered from 1. Trials of a certification have the number 0, and are no work.
    const wanted = this.eventsIn(text, headers).filter(({ sequence }) => sequence >= (ordered ? from : 1));
    if (wanted.length === 0) return "done";
    if (!ordered) return this.takeAtOnce(wanted, work);
    await this.begin();
    for (const each of wanted) await this.store(this.database.query, { ...each, body: each.text });
    const failures = await this.drain(work);
    const keys = new Set(wanted.map(({ orderingKey }) => orderingKey));
    const own = failures.find((each) => keys.has(each.event.orderingKey));
    if (own) throw own.error;
    this.lookAgain(work);
    return "stored";
  }

  /**
   * Reads the endpoint's log from the first number that has not arrived, and does the work of all that are not done. Call it when
   * the receiver starts, and after its database was restored.
   */
  async catchUp(work: InboxWork<Tx>): Promise<void> {
    await this.begin();
    await this.readLog(work);
    await this.drain(work);
    this.lookAgain(work);
  }

  /**
   * Deletes numbers whose work was done before this time. Choose a time after which Hermod repeats and resends nothing, since such
   * a repeat would be done again.
   */
  async prune(before: Date): Promise<void> {
    await prune(this.database.query, this.name, before.getTime());
  }

  /** Looks at waiting work no longer. It is done when a webhook arrives, or by `catchUp`. */
  close(): void {
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
  }

  /** Verifies a request. Returns its webhooks in their order. */
  private eventsIn(text: string, headers: ReceivedHeaders): InboxEvent[] {
    const { secrets, batched = false } = this.options;
    if (!batched) return [numbered(verify(text, headers, secrets), text)];
    const webhooks = verifyBatch(text, headers, secrets);
    const items = rawItems(text);
    return webhooks.map((each, i) => numbered(each, rawField(items[i] ?? "", "data")?.text ?? "null"));
  }

  private async takeAtOnce(events: readonly InboxEvent[], work: InboxWork<Tx>): Promise<"done"> {
    await this.database.transaction(async (tx, query) => {
      for (const event of events) {
        const number = { ...event, body: "", isDone: true };
        if (await arrive(query, this.name, number)) await work(tx, event);
      }
    });
    return "done";
  }

  /** Begins the order, once. Tries again if that failed. */
  private begin(): Promise<void> {
    const { from = 1 } = this.options;
    this.begun ??= beginOrder(this.database.query, this.name, from).catch((error) => {
      this.begun = null;
      throw error;
    });
    return this.begun;
  }

  private store(query: InboxQuery, number: Omit<ArrivedNumber, "isDone">): Promise<boolean> {
    return arrive(query, this.name, { ...number, isDone: false });
  }

  /** Does the work of all numbers that may be done, unless enough others do. Returns what failed. */
  private async drain(work: InboxWork<Tx>): Promise<WorkFailure[]> {
    await moveFrontier(this.database.query, this.name);
    this.looksAgain = true;
    if (this.running >= AT_ONCE) return [];
    const failures: WorkFailure[] = [];
    this.running++;
    try {
      while (this.looksAgain) {
        this.looksAgain = false;
        while (await this.step(work, failures));
      }
    } finally {
      this.running--;
    }
    return failures;
  }

  /**
   * Does the work of the next numbers of an ordering key in one transaction. If one fails, those before it are done again without
   * it. Resolves to false if there are none.
   */
  private async step(work: InboxWork<Tx>, failures: WorkFailure[], most = BATCH): Promise<boolean> {
    let taken: TakenNumber[] = [];
    let done = 0;
    try {
      await this.database.transaction(async (tx, query) => {
        taken = await takeNext(query, this.name, { taking: this.database.taking, most });
        for (const each of taken) {
          if (each.body !== "") await work(tx, eventOf(each));
          done++;
        }
        await finish(query, this.name, taken);
      });
      return taken.length > 0;
    } catch (error) {
      const failed = taken[done];
      if (failed === undefined) throw error;
      if (done > 0) return this.step(work, failures, done);
      failures.push({ event: eventOf(failed), error });
      this.report(error, eventOf(failed));
      await postpone(this.database.query, this.name, failed);
      return true;
    }
  }

  /** Looks at the waiting work a while later, until all is done. */
  private lookAgain(work: InboxWork<Tx>): void {
    if (this.timer || this.isClosed) return;
    const look = async () => {
      this.timer = null;
      const { catchUp } = this.options;
      const { isEmpty, gapSince } = await readBacklog(this.database.query, this.name);
      if (isEmpty || this.isClosed) return;
      const patience = (catchUp?.afterSeconds ?? CATCH_UP_AFTER_S) * 1_000;
      if (gapSince !== null && Date.now() - gapSince >= patience) await this.readLog(work);
      await this.drain(work);
      this.lookAgain(work);
    };
    const failed = (error: unknown) => {
      this.report(error, null);
      this.lookAgain(work);
    };
    this.timer = setTimeout(() => look().catch(failed), LOOK_AGAIN_MS);
    // Lets the process end.
    (this.timer as { unref?(): void }).unref?.();
  }

  /** Stores the numbers that the log has, from the first that has not arrived. */
  private async readLog(work: InboxWork<Tx>): Promise<void> {
    const { endpoint, catchUp } = this.options;
    if (!catchUp) return;
    const hermod = new Hermod({ url: catchUp.url, key: catchUp.key, parse: parseLogPage });
    let next = 1 + (await readFrontier(this.database.query, this.name));
    for (;;) {
      const page = await hermod.endpoints.log(endpoint, { from: next, limit: LOG_PAGE });
      const first = page.data[0]?.sequence ?? next;
      await this.database.transaction(async (_, query) => {
        // Earlier ones are older than the retention.
        if (first > next) await moveFrontierTo(query, this.name, first - 1);
        for (const each of page.data) await this.store(query, numberIn(each));
      });
      await this.drain(work);
      if (page.data.length === 0 || page.next_from > page.complete_up_to) return;
      next = page.next_from;
    }
  }

  private report(error: unknown, event: InboxEvent | null): void {
    const print = () => console.error("The inbox could not do its work", event?.id ?? "", error);
    if (this.options.onError) this.options.onError(error, event);
    else print();
  }
}

type WorkFailure = { event: InboxEvent; error: unknown };

/** A request without `webhook-sequence`, which Hermod always sends. */
class NoNumber extends Error {
  constructor() {
    super("webhook-sequence must be a number");
    this.name = "NoNumber";
  }
}

function numbered(
  { id, sequence, event, orderingKey, data }: ReceivedWebhook<unknown>,
  text: string,
): InboxEvent {
  if (sequence === null) throw new NoNumber();
  return { id, sequence, event, orderingKey, data, text };
}

type LoggedNumber = Awaited<ReturnType<Hermod["endpoints"]["log"]>>["data"][number];

/** Parses a page of the log, with the text of each payload in place of its value. */
function parseLogPage(text: string): unknown {
  const numbers = rawItems(rawField(text, "data")?.text ?? "[]");
  const data = numbers.map((each) => ({ ...JSON.parse(each), data: rawField(each, "data")?.text }));
  return { ...JSON.parse(text), data };
}

/** `body` is empty if the sender cancelled the delivery, or its payload is erased or removed: it needs no work. */
function numberIn({ sequence, webhook_id, event, ordering_key, status, erased, data }: LoggedNumber) {
  const hasWork = (status === "delivered" || status === "failed") && !erased;
  return {
    id: webhook_id ?? `removed ${sequence}`,
    sequence,
    event,
    orderingKey: ordering_key,
    body: hasWork ? String(data) : "",
  };
}

function eventOf({ id, sequence, event, orderingKey, body }: TakenNumber): InboxEvent {
  return { id, sequence, event, orderingKey, data: body === "" ? null : JSON.parse(body), text: body };
}
