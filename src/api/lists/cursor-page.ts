import type { PageRequest } from "../../db/page";
import type { ListCursors } from "./cursors";
import { pageLimit } from "./page-limit";
import { Query } from "./query";

/** A list that is read page by page, each page behind the last item of the previous page. */
export type CursorList<Item, Key> = Readonly<{
  cursors: ListCursors<Key>;
  keyOf(item: Item): Key;
  read(asked: PageRequest<Key>): Promise<Item[]>;
  view(item: Item): unknown;
}>;

export type Page = { data: unknown[]; cursor: string | null };

/** Reads the page of a URL's `limit` and `cursor`. Throws 400. */
export async function cursorPage<Item, Key>(url: string, list: CursorList<Item, Key>): Promise<Page> {
  const query = new Query(url, ["limit", "cursor"]);
  return pageOf(list, pageLimit(query.count("limit")), list.cursors.readCursor(query.text("cursor")));
}

/** Reads the page behind a key, or the first page without a key. */
export async function pageOf<Item, Key>(
  { cursors, keyOf, read, view }: CursorList<Item, Key>,
  limit: number,
  beyond?: Key,
): Promise<Page> {
  // Reads one item more than it returns, to find out whether another page follows.
  const found = await read({ limit: limit + 1, beyond });
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const cursor = last !== undefined && found.length > limit ? cursors.write(keyOf(last)) : null;
  return { data: shown.map(view), cursor };
}
