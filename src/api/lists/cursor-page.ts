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

export type ListPage = { data: unknown[]; cursor: string | null };

/** Reads the page of a URL's `limit` and `cursor`. Throws 400. */
export async function cursorPage<Item, Key>(url: string, list: CursorList<Item, Key>): Promise<ListPage> {
  const query = new Query(url, ["limit", "cursor"]);
  return pageOf(list, pageLimit(query.count("limit")), list.cursors.readCursor(query.text("cursor")));
}

/** A page ends with the item that reaches this many characters, so that a hundred large items cost no more than a mebibyte. */
export const PAGE_CHARACTERS = 1_048_576;

/** Reads the page behind a key, or the first page without a key. */
export async function pageOf<Item, Key>(
  { cursors, keyOf, read, view }: CursorList<Item, Key>,
  limit: number,
  beyond?: Key,
): Promise<ListPage> {
  // Reads one item more than it returns, to find out whether another page follows.
  const found = await read({ limit: limit + 1, beyond });
  const data = withinPage(found.slice(0, limit), view);
  const last = found[data.length - 1];
  const cursor = last !== undefined && found.length > data.length ? cursors.write(keyOf(last)) : null;
  return { data, cursor };
}

/** Returns the items' views, up to the one that reaches `PAGE_CHARACTERS`. */
function withinPage<Item>(items: readonly Item[], view: (item: Item) => unknown): unknown[] {
  const data: unknown[] = [];
  let characters = 0;
  for (const item of items) {
    if (characters >= PAGE_CHARACTERS) break;
    const viewed = view(item);
    characters += JSON.stringify(viewed).length;
    data.push(viewed);
  }
  return data;
}
