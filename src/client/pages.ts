import { pause } from "./pause.ts";

export type Page<Item> = { data: readonly Item[]; cursor: string | null };

/** The items of a list, page after page, each read when it is needed. */
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
  /** `now`, `start` or the `iterator` of a list; `now` unless given. */
  from?: string;
  /** Between two looks for more once caught up, milliseconds; 1,000 unless given. */
  intervalMs?: number;
  /** Ends it. */
  signal?: AbortSignal;
};

/** What is there from a place on and what comes, oldest first, nothing left out, until the signal ends it. */
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

/** Null when the signal ended it. */
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
