import { useEffect } from "preact/hooks";
import { headersOf, urlOf } from "./api";

/** One message of a stream of server-sent events. */
type Message = { event: string; data: string; id: string | null };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Follows a stream while the page is visible, and continues it after an interruption. Reads by `fetch`, since EventSource can't
 * send the account. Does nothing if the service has no such stream: pages also poll.
 */
export function useLive(
  path: string | null,
  query: Record<string, string | undefined>,
  onEvent: (data: unknown) => void,
): void {
  const url = path === null ? null : urlOf(path, { query });
  useEffect(() => {
    if (url === null) return;
    const ended = new AbortController();
    void follow(url, onEvent, ended.signal);
    return () => ended.abort();
  }, [url]);
}

async function follow(url: string, onEvent: (data: unknown) => void, signal: AbortSignal): Promise<void> {
  let lastId: string | null = null;
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = { ...headersOf("get", false), accept: "text/event-stream" };
      if (lastId !== null) headers["last-event-id"] = lastId;
      const response: Response = await fetch(url, { headers, signal, credentials: "same-origin" });
      if (response.status < 500 && response.status !== 429 && !response.ok) return;
      if (response.ok && response.body) {
        wait = FIRST_WAIT_MS;
        for await (const { event, data, id } of messagesIn(response.body)) {
          lastId = id ?? lastId;
          if (event !== "" && data !== "") onEvent(JSON.parse(data));
        }
      }
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(LONGEST_WAIT_MS, wait * 2);
  }
}

async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      const parts = text.split(/\r?\n\r?\n/);
      text = parts.pop() ?? "";
      for (const part of parts) yield messageOf(part);
    }
  } finally {
    await reader.cancel().catch(() => null);
  }
}

function messageOf(part: string): Message {
  const message: Message = { event: "", data: "", id: null };
  for (const line of part.split(/\r?\n/)) {
    const [, name, value = ""] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
    if (name === "event") message.event = value;
    else if (name === "id") message.id = value;
    else if (name === "data") message.data += message.data === "" ? value : `\n${value}`;
  }
  return message;
}
