import { type Static, Type } from "@sinclair/typebox";
import { answer } from "../api/answer";
import { conflict } from "../api/errors";
import { isPlace } from "../cells/cell-list";
import { readFromCell } from "./cell-reading";
import { CellAway, type Forwardable } from "./forwarding";
import type { RemoteCell } from "./remote-cell";

const Entry = Type.Object({
  name: Type.String(),
  accepts_accounts: Type.Union([Type.Boolean(), Type.Null()]),
  accounts: Type.Union([Type.Integer(), Type.Null()]),
});
const Entries = Type.Object({ data: Type.Array(Entry) });
type CellEntry = Static<typeof Entry>;

/** A cell that has not begun to say how full it is after this time counts as away, so that none holds up new accounts. */
export const ENTRY_SECONDS = 5;

/** Lists all cells, also those that are away. Throws `CellRefusal`. */
export async function listCells(asked: Forwardable, cells: readonly RemoteCell[]): Promise<Response> {
  const found = await Promise.all(cells.map((cell) => entryOf(asked, cell)));
  const data = cells.map(({ name }, i) => found[i] ?? away(name));
  return answer(null, 200, { data });
}

/** Returns the cell with the fewest accounts that accepts one. `place` narrows the choice. Throws `CellRefusal`. */
export async function emptiestCell(
  asked: Forwardable,
  cells: readonly RemoteCell[],
  place: string,
): Promise<RemoteCell> {
  const allowed = cells.filter((cell) => isPlace(place, cell));
  const found = await Promise.all(allowed.map((cell) => entryOf(asked, cell)));
  const best = chooseCell(found.filter((entry) => entry !== null));
  const cell = allowed.find(({ name }) => name === best);
  if (cell) return cell;
  throw conflict(
    `No cell accepts a new account: of ${cells.map(({ name }) => name).join(", ")}, those that match ${place} are full or away`,
  );
}

/** Returns the name of the emptiest cell that accepts accounts; undefined if none does. */
export function chooseCell(entries: readonly CellEntry[]): string | undefined {
  const accepting = entries.filter(({ accepts_accounts }) => accepts_accounts === true);
  return accepting.toSorted((one, other) => (one.accounts ?? 0) - (other.accounts ?? 0))[0]?.name;
}

/** Resolves to null if the cell is away. */
async function entryOf(asked: Forwardable, cell: RemoteCell): Promise<CellEntry | null> {
  try {
    const { data } = await readFromCell(asked, cell, "/v1/admin/cells", Entries, ENTRY_SECONDS * 1_000);
    return data[0] ?? null;
  } catch (error) {
    if (error instanceof CellAway) return null;
    throw error;
  }
}

function away(name: string) {
  return { name, is_reachable: false, accepts_accounts: null, accounts: null };
}
