export type ItemPage<Item> = { data: readonly Item[]; cursor: string | null };

/** Yields the items of a list, and reads each page when it is needed. */
export async function* itemsOf<Item>(
  read: (cursor: string | undefined) => Promise<ItemPage<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.data;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
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
