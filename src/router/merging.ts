import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { answer } from "../api/answer";
import { badRequest } from "../api/errors";
import { MAX_LIMIT, pageLimit } from "../api/lists/page-limit";
import { Query } from "../api/lists/query";
import { readFromAll, readFromCell } from "./cell-reading";
import type { Forwardable } from "./forwarding";
import type { RemoteCell } from "./remote-cell";

const Cursor = Type.Union([Type.String(), Type.Null()]);
const CellPage = Type.Object({ data: Type.Array(Type.Object({ id: Type.String() })), cursor: Cursor });

/** Where a merged list goes on. The cells' own cursors can't be forged. */
const Position = Type.Object({
  /** The id of the last item that was shown; null before the first. */
  last: Cursor,
  /** The cursor of each cell's page; null once the cell's list is at its end. A cell that is not here begins. */
  cursors: Type.Record(Type.String(), Cursor),
});
type MergedPosition = Static<typeof Position>;

/** A page of a cell, and the cursor with which it was read. */
export type CellPageRead = Readonly<{ cell: string; at: string | undefined; page: Static<typeof CellPage> }>;

/** Answers a page of a list over all cells, newest first. Throws `CellAway` and `CellRefusal`: no cell is left out unseen. */
export async function mergedList(asked: Forwardable, cells: readonly RemoteCell[]): Promise<Response> {
  const url = new URL(asked.target, "http://router");
  const query = new Query(url.href, ["limit", "cursor"]);
  const limit = pageLimit(query.count("limit"));
  const position = readPosition(query.text("cursor"));
  const open = cells.filter(({ name }) => position.cursors[name] !== null);
  const pages = await readFromAll(open, async (cell) => {
    const at = position.cursors[cell.name] ?? undefined;
    return { cell: cell.name, at, page: await readFromCell(asked, cell, targetOf(url, at), CellPage) };
  });
  const { data, next } = mergePages(pages, position, limit);
  return answer(null, 200, { data, cursor: next && writePosition(next) });
}

/**
 * Merges pages by their items' ids, which sort by time. Shows no item older than the end of a page that has another one behind it,
 * since that one may have newer items. A page with items left is read again for the next page.
 */
export function mergePages(pages: readonly CellPageRead[], { last, cursors }: MergedPosition, limit: number) {
  const isNew = ({ id }: { id: string }) => last === null || id < last;
  const end = pages.reduce(
    (latest, { page }) => (page.cursor === null ? latest : later(latest, endOf(page))),
    "",
  );
  const items = pages.flatMap(({ page }) => page.data.filter((item) => isNew(item) && item.id >= end));
  // Each cell has the account `default`: it is shown once.
  const byId = new Map(items.map((item) => [item.id, item]));
  const data = [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
  const shown = new Set(data.map(({ id }) => id));
  const read = pages.map(({ cell, at, page }) => {
    const isShown = page.data.every((item) => !isNew(item) || shown.has(item.id));
    return [cell, isShown ? page.cursor : at] as const;
  });
  const after = { ...cursors };
  for (const [cell, at] of read) if (at !== undefined) after[cell] = at;
  const isOver = read.every(([, at]) => at === null);
  return { data, next: isOver ? null : { last: data.at(-1)?.id ?? last, cursors: after } };
}

/** Returns the id of a page's last item. An empty page with a cursor has not found what is newest in its cell. */
function endOf({ data }: CellPageRead["page"]): string {
  return data.at(-1)?.id ?? "\uffff";
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

function targetOf(url: URL, cursor: string | undefined): string {
  const target = new URL(url);
  target.searchParams.set("limit", String(MAX_LIMIT));
  target.searchParams.delete("cursor");
  if (cursor !== undefined) target.searchParams.set("cursor", cursor);
  return target.pathname + target.search;
}

function writePosition(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

function readPosition(token: string | undefined): MergedPosition {
  if (token === undefined) return { last: null, cursors: {} };
  try {
    const position: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    if (Value.Check(Position, position)) return position;
  } catch {
    // No JSON: refused like another wrong cursor.
  }
  throw badRequest("cursor is not valid for this list; send one from an earlier answer of the same list");
}
