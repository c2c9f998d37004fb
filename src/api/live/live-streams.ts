import type { Principal } from "../../accounts/authentication/principal";
import { type Clock, sleep } from "../../runtime/clock";
import { describeError, type Log } from "../../runtime/log";
import { rateHeaders } from "../answer";
import type { Call } from "../call";
import { tooManyRequests } from "../errors";
import { heartbeatText } from "./event-text";

/**
 * Most streams of a process. Portal sessions have shares of their own, so that customers can't take the streams of the account, and
 * one session not those of the others.
 */
export const LIVE_STREAMS = {
  inAll: 256,
  ofAccount: 20,
  ofPortals: 128,
  ofAccountsPortals: 20,
  ofSession: 3,
};
/** Seconds between comments on a silent stream. Proxies close silent connections after 30 s or more. */
export const HEARTBEAT_SECONDS = 15;
/** A stream polls for changes this often, once it has sent all that there were. */
const CHECK_EVERY_MS = 500;
/** A reader should reconnect this long after its stream broke. */
const RECONNECT_MS = 2_000;
/** A client with too many streams may try again after this many seconds. */
const TOO_MANY_SECONDS = 10;

/** Documents what all live streams share. */
export const LIVE =
  "The answer is a stream of server-sent events that stays open, with a comment at least every " +
  `${HEARTBEAT_SECONDS} seconds. It ends within five seconds of the credential that it was opened with. ` +
  `At most ${LIVE_STREAMS.ofAccount} streams per account and ${LIVE_STREAMS.inAll} in all in a process; one more gets a 429. A ` +
  `portal session has at most ${LIVE_STREAMS.ofSession}, and the portal sessions of an account ${LIVE_STREAMS.ofAccountsPortals} ` +
  "beside the account's own. " +
  "A reader that is too slow gets its events later; nothing is left out.";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // Without this header nginx would hold events until its buffer is full.
  "x-accel-buffering": "no",
};

/** The source of a stream's events. */
export type LiveSource = {
  /** Reads new events as text; empty if there are none. `more` is true if more events are available now. */
  next(): Promise<{ text: string; more: boolean }>;
  /** The position to continue from, for heartbeats. */
  readonly position: string | undefined;
};

export type LiveStreamsOptions = { clock: Clock; log: Log };

/**
 * Answers with server-sent events, while the reader is connected and its credential works. Reads events only as fast as the
 * reader takes them, so a slow reader costs no memory. The idle timeout disconnects a reader that takes nothing.
 */
export class LiveStreams {
  private readonly open = new Set<AbortController>();
  /** Open streams by the name of their share. */
  private readonly counts = new Map<string, number>();
  private isClosed = false;

  constructor(private readonly options: LiveStreamsOptions) {}

  /** Throws 429 if the process, the account or the session has too many streams. */
  answer(call: Call, request: Request, source: LiveSource): Response {
    // A HEAD has no body.
    const headers = { ...HEADERS, ...rateHeaders(call.allowance) };
    if (request.method === "HEAD") return new Response(null, { headers });
    const over = this.enter(sharesOf(call.principal));
    request.signal.addEventListener("abort", () => over.abort(), { once: true });
    return new Response(this.streamOf(call, source, over), { headers });
  }

  /** Ends all streams. Their readers continue at another process. */
  close(): void {
    this.isClosed = true;
    for (const over of [...this.open]) over.abort();
  }

  private enter(shares: readonly Share[]): AbortController {
    if (shares.some(({ name, most }) => this.countOf(name) >= most))
      throw tooManyRequests("Too many live streams are open; close some", TOO_MANY_SECONDS);
    const over = new AbortController();
    this.open.add(over);
    for (const { name } of shares) this.counts.set(name, this.countOf(name) + 1);
    over.signal.addEventListener("abort", () => {
      this.open.delete(over);
      for (const { name } of shares) this.leave(name);
    });
    if (this.isClosed) over.abort();
    return over;
  }

  private countOf(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  private leave(name: string): void {
    const left = this.countOf(name) - 1;
    if (left > 0) this.counts.set(name, left);
    else this.counts.delete(name);
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

  /** Yields the stream's text, with heartbeats while there are no events. Ends when the credential no longer works. */
  private async *texts(call: Call, source: LiveSource, over: AbortSignal): AsyncGenerator<string, void> {
    const { clock, log } = this.options;
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
        if (!more) await sleep(clock, CHECK_EVERY_MS, over);
      }
    } catch (error) {
      log.debug(describeError(error), "a live stream ended; its reader continues from its last event");
    }
  }
}

/** Counts towards each of its shares. */
type Share = Readonly<{ name: string; most: number }>;

function sharesOf({ accountId, session }: Pick<Principal, "accountId" | "session">): Share[] {
  const all = { name: "all", most: LIVE_STREAMS.inAll };
  if (!session?.portal) return [all, { name: accountId, most: LIVE_STREAMS.ofAccount }];
  return [
    all,
    { name: "portals", most: LIVE_STREAMS.ofPortals },
    { name: `portals of ${accountId}`, most: LIVE_STREAMS.ofAccountsPortals },
    { name: session.id, most: LIVE_STREAMS.ofSession },
  ];
}
