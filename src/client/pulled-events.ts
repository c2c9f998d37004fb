import { HermodError } from "./errors.ts";
import type { operations } from "./openapi.ts";
import type { AnswerOf, BodyOf } from "./operation.ts";
import { nullIfAborted } from "./pages.ts";
import { pause } from "./pause.ts";
import { rawField, rawItems } from "./raw-field.ts";
import type { RequestOptions, Transport } from "./transport.ts";

export type PullOptions = RequestOptions & {
  /** Most events of a page, 1 to 500; 100 by default. A large page reads faster from afar. */
  limit?: number;
  /** The seconds for which a request waits for an event, up to 30; 20 by default. */
  wait?: number;
  /** The seconds for the work on a page, up to 600; 30 by default. Work that takes longer comes again. */
  lease?: number;
  /** Ends the loop once nothing is there to be read. */
  untilEmpty?: boolean;
};

type ReceivedPage = AnswerOf<operations["receive"]>;
/** A page with the exact texts of its payloads. */
type ReadPage = ReceivedPage & { texts: readonly string[] };
type ReceiveBody = BodyOf<operations["receive"]>;

/** An event of a pulled endpoint, with the words to be said about it. An event without a word is acknowledged by the next one. */
export type PulledEvent = ReceivedPage["data"][number] & {
  /** The payload's exact text, as it was sent. `data` has its numbers rounded to doubles. */
  text: string;
  /** Acknowledges the event, even if the loop ends now. */
  ack(): void;
  /** Reports that the work failed. The endpoint's retry schedule repeats it, after `retryAfter` seconds at least. */
  fail(error: unknown, options?: { retryAfter?: number }): void;
};

const WAIT_S = 20;
const LEASE_S = 30;
const ERROR_CHARACTERS = 1_024;
const CONFLICT = 409;
/** Least time between two requests while nothing is there. A service that is busy answers at once instead of waiting. */
const EMPTY_MS = 1_000;
/** What the service refuses in the words of a failure: control characters, and half a pair of surrogates. */
const UNFIT = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

/** Yields the events of an endpoint, and says in each request what became of the page before. */
export async function* pulledEvents(
  http: Transport,
  endpoint: string,
  options: PullOptions,
): AsyncGenerator<PulledEvent, void, undefined> {
  const { signal, untilEmpty = false, lease = LEASE_S } = options;
  const pages = new Pages(http, endpoint, options);
  let page: PageInWork | null = null;
  try {
    while (!signal?.aborted) {
      const askedAt = performance.now();
      const next: ReadPage | null = await nullIfAborted(pages.next(page), signal);
      if (!next) return;
      page = next.receipt === null ? null : new PageInWork(next.receipt, lease);
      if (!page && untilEmpty) return;
      if (!page) await pause(Math.max(0, askedAt + EMPTY_MS - performance.now()), signal);
      for (const [i, event] of next.data.entries()) {
        if (!page || signal?.aborted) break;
        yield page.begin(event, next.texts[i] ?? "null");
        if (page.isOver()) break;
      }
    }
  } finally {
    if (page) await pages.end(page);
  }
}

/** Asks for pages. */
class Pages {
  private hasAnswer = false;

  constructor(
    private readonly http: Transport,
    private readonly endpoint: string,
    private readonly options: PullOptions,
  ) {}

  /** Settles the page before, and reads the next one. */
  async next(before: PageInWork | null): Promise<ReadPage> {
    const { limit, wait = this.options.untilEmpty ? 0 : WAIT_S, lease = LEASE_S, signal } = this.options;
    const page = { wait, lease, ...(limit !== undefined && { limit }) };
    const settled = before ? await this.ask({ ...page, ...before.report() }, wait, signal) : null;
    return settled ?? (await this.ask(page, wait, signal)) ?? { data: [], receipt: null, texts: [] };
  }

  /** Settles the last page, and hands back what it has left. */
  async end(page: PageInWork): Promise<void> {
    await this.ask({ limit: 0, ...page.report() }, 0, undefined);
  }

  /**
   * Sends a request until it is answered. A repeat is safe: the service hands a page out again if its answer was lost. Resolves to
   * null if the page in it is no longer this receiver's, and nothing was changed.
   */
  private async ask(
    body: NonNullable<ReceiveBody>,
    wait: number,
    signal: AbortSignal | undefined,
  ): Promise<ReadPage | null> {
    const input = { path: { id: this.endpoint }, body };
    const repeating = {
      isRepeatable: true,
      timeoutMs: this.http.timeoutMs + wait * 1_000,
      parse: (text: string) => ({ ...(this.http.parse(text) as ReceivedPage), texts: payloadsIn(text) }),
      // The first request shows whether address and key are right.
      ...(this.hasAnswer && body.limit !== 0 && { maxRetries: Number.POSITIVE_INFINITY }),
      ...(signal && { signal }),
    };
    try {
      const page = await this.http.ask("post", "/v1/endpoints/{id}/receive", input, repeating);
      this.hasAnswer = true;
      return page as ReadPage;
    } catch (error) {
      const isOutdated = error instanceof HermodError && error.status === CONFLICT && body.receipt;
      if (isOutdated) return null;
      throw error;
    }
  }
}

/** A page that the loop works on, event by event. */
class PageInWork {
  private finished = 0;
  private failed: NonNullable<NonNullable<ReceiveBody>["fail"]>[number] | null = null;
  private current: { sequence: number; isAcknowledged: boolean } | null = null;
  /** Half of the lease, so that the rest of the time is for the event in work. */
  private readonly until: number;

  constructor(
    private readonly receipt: string,
    leaseS: number,
  ) {
    this.until = performance.now() + leaseS * 500;
  }

  /** Makes the next event, which is finished once the loop asks whether the page is over. */
  begin(webhook: ReceivedPage["data"][number], text: string): PulledEvent {
    const { id, sequence } = webhook;
    const event = { sequence, isAcknowledged: false };
    this.current = event;
    const assertCurrent = () => {
      if (this.current !== event)
        throw new Error(`The loop has finished ${id}: it is acknowledged or failed`);
    };
    return {
      ...webhook,
      text,
      ack: () => {
        assertCurrent();
        event.isAcknowledged = true;
      },
      fail: (error, { retryAfter } = {}) => {
        assertCurrent();
        this.failed = {
          id,
          error: textOf(error),
          ...(retryAfter !== undefined && { retry_after: retryAfter }),
        };
      },
    };
  }

  /** Finishes the event in work. True if the rest of the page is to be read again: behind a failure, and after half of the lease. */
  isOver(): boolean {
    if (this.current && !this.failed) this.finished = this.current.sequence;
    this.current = null;
    return this.failed !== null || performance.now() >= this.until;
  }

  /** Returns what became of the page. */
  report() {
    const { receipt, failed, finished, current } = this;
    const through = current?.isAcknowledged && !failed ? current.sequence : finished;
    return {
      receipt,
      release: true,
      ...(through > 0 && { ack_through: through }),
      ...(failed && { fail: [failed] }),
    };
  }
}

function payloadsIn(page: string): string[] {
  return rawItems(rawField(page, "data")?.text ?? "[]").map((item) => rawField(item, "data")?.text ?? "null");
}

function textOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.slice(0, ERROR_CHARACTERS).replace(UNFIT, " ") || "failed";
}
