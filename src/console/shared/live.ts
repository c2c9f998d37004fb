import { useEffect } from "preact/hooks";
import { follow } from "./api";
import { BASE_PATH } from "./base-path";

// One window of the browser reads a stream, since browsers have six connections a host over HTTP/1.1: the seventh window's pages
// would wait for ever. The other windows get the rows from it if they show the same list. Otherwise they poll, as all lists do.

/** The name of the lock that the reading window holds, and of the channel to the others. */
const NAME = `hermod-live${BASE_PATH}`;
/** Rows are shown together, so that a busy service leaves the page time for its reader. */
const TOGETHER_MS = 150;

type Shared = Readonly<{ list: string; rows: readonly unknown[] }>;

/**
 * Gets the rows of a stream, from the service or from the window that reads it. `scope` names what the query does not, such as
 * the account. Gets nothing if the path is null, or if the page is not from https or loopback: other pages have no locks.
 */
export function useLive(
  path: string | null,
  query: Record<string, string | undefined>,
  scope: string,
  onRows: (rows: readonly unknown[]) => void,
): void {
  const list = JSON.stringify([path, query, scope]);
  useEffect(() => {
    if (path === null || !("locks" in navigator)) return;
    const channel = new BroadcastChannel(NAME);
    channel.onmessage = ({ data }: MessageEvent<Shared>) => data.list === list && onRows(data.rows);
    const collect = together((rows) => {
      onRows(rows);
      channel.postMessage({ list, rows } satisfies Shared);
    });
    const stop = whileVisible(async (signal) => {
      for await (const row of follow(path, query, signal)) collect(row);
    });
    return () => {
      stop();
      channel.close();
    };
  }, [list]);
}

/** Runs the work while the page is visible and no other window does. Its failure ends it: lists also poll. */
function whileVisible(work: (signal: AbortSignal) => Promise<void>): () => void {
  let turn: AbortController | null = null;
  const look = () => {
    turn?.abort();
    turn = null;
    if (document.hidden) return;
    turn = new AbortController();
    const { signal } = turn;
    void navigator.locks.request(NAME, { signal }, () => work(signal)).catch(() => null);
  };
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    turn?.abort();
  };
}

/** Returns a function that collects items for a moment, and passes them on together. */
function together<Item>(pass: (items: readonly Item[]) => void): (item: Item) => void {
  let items: Item[] = [];
  return (item) => {
    if (items.push(item) > 1) return;
    setTimeout(() => {
      const collected = items;
      items = [];
      pass(collected);
    }, TOGETHER_MS);
  };
}
