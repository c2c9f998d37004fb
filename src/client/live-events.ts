import { HermodError, HermodUnreachable } from "./errors.ts";
import { pause } from "./pause.ts";
import { waitBeforeRetry } from "./retry.ts";

/** A server-sent event. `id` is the position behind it; null until the stream has sent one. */
export type LiveEvent = { name: string; data: string; id: string | null };

/** A stream that is silent for this long is broken, since the service sends a comment every 15 s. */
const SILENCE_MS = 45_000;

export type LiveOptions = {
  /** Opens the stream behind the event with this id. */
  open(lastEventId: string | null, signal: AbortSignal): Promise<Response>;
  maxRetries: number;
  signal?: AbortSignal | undefined;
};

/**
 * Yields events without end, and continues behind the last one after each interruption. Throws if the service refuses, or if it
 * can't be reached after several tries in a row.
 */
export async function* liveEvents(options: LiveOptions): AsyncGenerator<LiveEvent, void, undefined> {
  const { signal, maxRetries } = options;
  let lastEventId: string | null = null;
  for (let retries = 0; !signal?.aborted; ) {
    try {
      for await (const event of once(options, lastEventId)) {
        lastEventId = event.id;
        retries = 0;
        if (event.name !== "") yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      const wait = waitBeforeRetry(
        { error: asFailure(error), isRepeatable: true, retries, maxRetries },
        Math.random(),
      );
      if (wait === null) throw error;
      retries++;
      await pause(wait, signal);
    }
  }
}

/** Yields the events of one connection. Throws when it ends. */
async function* once({ open, signal }: LiveOptions, lastEventId: string | null): AsyncGenerator<LiveEvent> {
  const broken = new AbortController();
  const end = () => broken.abort();
  signal?.addEventListener("abort", end, { once: true });
  let silence = setTimeout(end, SILENCE_MS);
  try {
    const { body } = await open(lastEventId, broken.signal);
    const parser = new EventParser(lastEventId);
    const decoder = new TextDecoder();
    // By a reader, since not every browser can iterate over a stream.
    const reader = body?.getReader();
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new HermodUnreachable("The stream ended");
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE_MS);
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener("abort", end);
    // Closes the connection also when the caller stops reading.
    end();
  }
}

function asFailure(error: unknown): Error {
  if (error instanceof HermodError || error instanceof HermodUnreachable) return error;
  return new HermodUnreachable("The stream broke", { cause: error });
}

/** Parses server-sent events (HTML standard, 9.2.6). Yields an event without a name if only the position has changed. */
export class EventParser {
  private rest = "";
  private name = "";
  private data: string[] = [];

  constructor(private id: string | null = null) {}

  *push(text: string): Generator<LiveEvent> {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = this.read(line.replace(/\r$/, ""));
      if (event) yield event;
    }
  }

  private read(line: string): LiveEvent | null {
    if (line === "") return this.end();
    // No expression: its dot would not match the line separators of Unicode, which a line may have.
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.id = value;
    return null;
  }

  private end(): LiveEvent {
    const isEmpty = this.data.length === 0;
    const event = { name: isEmpty ? "" : this.name || "message", data: this.data.join("\n"), id: this.id };
    this.name = "";
    this.data = [];
    return event;
  }
}
