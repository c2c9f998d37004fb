import type { AccountId } from "../../domain/ids";
import { type Clock, sleep } from "../../runtime/clock";
import { describeError, type Log } from "../../runtime/log";
import { rateHeaders } from "../answer";
import type { Call } from "../call";
import { tooManyRequests } from "../errors";
import { heartbeatText } from "./event-text";

/** Most streams of a process. */
export const LIVE_STREAMS = { inAll: 256, ofAccount: 20 };
/** Seconds between comments on a silent stream: proxies close silent connections after 30 s and more. */
export const HEARTBEAT_SECONDS = 15;
/** Streams look for news this often, also when nothing says that there are some. */
const LOOK_EVERY_MS = 1_000;
/** Least time between two looks that find nothing, however often the stream is woken. */
const REST_MS = 100;
/** When a reader should come back after its stream broke. */
const RECONNECT_MS = 2_000;
/** When a client that has too many streams may try again. */
const TOO_MANY_SECONDS = 10;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // nginx would keep events back until its buffer is full.
  "x-accel-buffering": "no",
};

/** The news of one stream. */
export type LiveSource = {
  /** Reads what is new, as text of events; empty for nothing. `more`: there is more already. */
  next(): Promise<{ text: string; more: boolean }>;
  /** The position to continue from, for heartbeats. */
  readonly position: string | undefined;
  /** Calls `wake` when there may be news; the returned function ends that. */
  listen(wake: () => void): () => void;
};

export type LiveStreamsOptions = { clock: Clock; log: Log };

/**
 * Answers with server-sent events, for as long as the reader stays and its credential works. Reads news only as fast as
 * the reader takes them, so a slow reader costs no memory; one that takes nothing is cut off by the idle timeout.
 */
export class LiveStreams {
  private readonly open = new Map<AccountId, Set<AbortController>>();
  private isClosed = false;

  constructor(private readonly options: LiveStreamsOptions) {}

  /** Throws 429 when the account or the process has too many streams. */
  answer(call: Call, request: Request, source: LiveSource): Response {
    // Nobody reads the body of a HEAD.
    const headers = { ...HEADERS, ...rateHeaders(call.allowance) };
    if (request.method === "HEAD") return new Response(null, { headers });
    const over = this.enter(call.principal.accountId);
    request.signal.addEventListener("abort", () => over.abort(), { once: true });
    return new Response(this.streamOf(call, source, over), { headers });
  }

  /** Ends all streams; their readers continue at another process. */
  close(): void {
    this.isClosed = true;
    for (const streams of this.open.values()) for (const over of streams) over.abort();
  }

  private enter(accountId: AccountId): AbortController {
    const streams = this.open.get(accountId) ?? new Set();
    const inAll = [...this.open.values()].reduce((sum, { size }) => sum + size, 0);
    if (streams.size >= LIVE_STREAMS.ofAccount || inAll >= LIVE_STREAMS.inAll)
      throw tooManyRequests("Too many live streams are open; close some", TOO_MANY_SECONDS);
    const over = new AbortController();
    this.open.set(accountId, streams.add(over));
    over.signal.addEventListener("abort", () => {
      streams.delete(over);
      if (streams.size === 0) this.open.delete(accountId);
    });
    if (this.isClosed) over.abort();
    return over;
  }

  private streamOf(call: Call, source: LiveSource, over: AbortController): ReadableStream<Uint8Array> {
    const parts = this.texts(call, source, over.signal);
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await parts.next();
          if (!done) return controller.enqueue(encoder.encode(value));
          over.abort();
          controller.close();
        },
        cancel: () => over.abort(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Yields the stream's text, and at least a heartbeat now and then. Ends when the reader may no longer read. */
  private async *texts(call: Call, source: LiveSource, over: AbortSignal): AsyncGenerator<string, void> {
    const { clock, log } = this.options;
    const bell = new Bell(clock, over);
    over.addEventListener(
      "abort",
      source.listen(() => bell.ring()),
      { once: true },
    );
    try {
      let isFirst = true;
      let spokeAt = clock.monotonic();
      while (!over.aborted && (await call.isStillAllowed())) {
        const { text, more } = await source.next();
        const isSilent = text === "" && clock.monotonic() - spokeAt >= HEARTBEAT_SECONDS * 1_000;
        const beat = isFirst ? `retry: ${RECONNECT_MS}\n${heartbeatText(source.position)}` : "";
        isFirst = false;
        if (text !== "" || beat !== "" || isSilent) {
          yield beat + (isSilent ? heartbeatText(source.position) : text);
          spokeAt = clock.monotonic();
        }
        if (!more) await bell.wait();
      }
    } catch (error) {
      log.debug(describeError(error), "a live stream ended; its reader continues from its last event");
    }
  }
}

/** Waits for a ring, or for the next regular look. */
class Bell {
  private rung = new AbortController();

  constructor(
    private readonly clock: Clock,
    private readonly over: AbortSignal,
  ) {
    over.addEventListener("abort", () => this.ring(), { once: true });
  }

  ring(): void {
    this.rung.abort();
  }

  async wait(): Promise<void> {
    await sleep(this.clock, REST_MS, this.over);
    await sleep(this.clock, LOOK_EVERY_MS - REST_MS, this.rung.signal);
    // What rings from here on is seen by the next look, or waits for the one after.
    if (!this.over.aborted) this.rung = new AbortController();
  }
}
