import type { PageRequest } from "../db/page";
import { fromText, type IdOf, type Prefix, toText } from "../runtime/ids";
import { badRequest } from "./errors";
import { pageLimit } from "./page-limit";
import { Query } from "./query";

/** How the places of a list are written in its cursors. */
export type CursorFormat<Key> = Readonly<{
  write(key: Key): string;
  /** Null: it is no cursor of this list. */
  read(text: string): Key | null;
}>;

/** A list that is read page by page, each from the last item of the one before. */
export type CursorList<Item, Key> = Readonly<{
  format: CursorFormat<Key>;
  keyOf(item: Item): Key;
  read(asked: PageRequest<Key>): Promise<Item[]>;
  view(item: Item): unknown;
}>;

/** The cursors of a list in the order of its identifiers. */
export function idCursor<P extends Prefix>(prefix: P): CursorFormat<IdOf<P>> {
  return { write: (id) => toText(prefix, id), read: (text) => fromText(prefix, text) };
}

/** The page that `limit` and `cursor` of a URL ask for. Throws 400. */
export async function cursorPage<Item, Key>(
  url: string,
  { format, keyOf, read, view }: CursorList<Item, Key>,
): Promise<{ data: unknown[]; cursor: string | null }> {
  const query = new Query(url, ["limit", "cursor"]);
  const limit = pageLimit(query.count("limit"));
  const text = query.text("cursor");
  const beyond = text === undefined ? undefined : format.read(text);
  if (beyond === null) throw badRequest("cursor is not one that an answer carried");
  // One more than is shown tells whether there is another page.
  const found = await read({ limit: limit + 1, beyond });
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const cursor = last !== undefined && found.length > limit ? format.write(keyOf(last)) : null;
  return { data: shown.map(view), cursor };
}
