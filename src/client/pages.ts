import { pause } from "./pause.ts";

export type Page<Item> = { data: readonly Item[]; cursor: string | null };

/** Yields the items of a list, and reads each page when it is needed. */
export async function* itemsOf<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.data;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
}

export type FollowOptions = {
  /** Where to begin: `now` (the default), `start` or the `iterator` of a list. */
  from?: string;
  /** Time between two requests when there is nothing new, in milliseconds, 1,000 by default. */
  intervalMs?: number;
  /** Stops the following. */
  signal?: AbortSignal;
};

/**
 * Yields a list's items from a position on, then new ones as they come. Oldest first, without gaps, until the signal
 * aborts.
 */
export async function* follow<Item>(
  read: (iterator: string) => Promise<Page<Item> & { iterator?: string }>,
  { from = "now", intervalMs = 1_000, signal }: FollowOptions,
): AsyncGenerator<Item, void, undefined> {
  let place = from;
  while (!signal?.aborted) {
    const page = await nullIfAborted(read(place), signal);
    if (page === null) return;
    yield* page.data;
    place = page.iterator ?? place;
    if (page.cursor === null) await pause(intervalMs, signal);
  }
}

/** Returns null if the signal aborted the reading. */
export async function nullIfAborted<T>(
  reading: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (signal?.aborted) return null;
    throw error;
  }
}
