import { type Vault, VaultError } from "./vault";

export type Resealer = Pick<Vault, "isCurrent" | "reseal">;

/** Counts of rows that another key than the first had sealed. `missed` rows changed meanwhile. */
export type ResealCount = { resealed: number; missed: number; unreadable: number };

/** A row as it was read, and the same row sealed by the first key. */
export type Resealed<Row> = { row: Row; fresh: Row };

/** Rows of a table with sealed columns. */
export type SealedRows<Row> = {
  /** Reads the next `RESEAL_ROWS` after `last`; null starts at the beginning. */
  read(last: Row | null): Promise<Row[]>;
  isCurrent(row: Row): boolean;
  /** Throws `VaultError`. */
  reseal(row: Row): Row;
  /** Replaces the rows that are still as they had been read (compare and set). Returns their number. */
  replace(pairs: readonly Resealed<Row>[]): Promise<number>;
};

/** Most rows that one statement reads or writes. */
export const RESEAL_ROWS = 200;

/** Seals all rows with the first key. Leaves rows that can't be opened, since their key may be given again later. */
export async function resealAll<Row>(rows: SealedRows<Row>): Promise<ResealCount> {
  const count = { resealed: 0, missed: 0, unreadable: 0 };
  for (let last: Row | null = null; ; ) {
    const page: Row[] = await rows.read(last);
    const stale = page.filter((row) => !rows.isCurrent(row));
    const pairs = stale.flatMap((row) => tryReseal(rows, row));
    const replaced = pairs.length > 0 ? await rows.replace(pairs) : 0;
    count.resealed += replaced;
    count.missed += pairs.length - replaced;
    count.unreadable += stale.length - pairs.length;
    last = page.at(-1) ?? null;
    if (last === null || page.length < RESEAL_ROWS) return count;
  }
}

/** Counts the rows that the vault can't open. Writes nothing. */
export async function countUnreadable<Row>(
  rowsWith: (vault: Resealer) => SealedRows<Row>,
  vault: Pick<Vault, "open">,
): Promise<number> {
  const reseal = (sealed: string, context: string) => {
    vault.open(sealed, context);
    return sealed;
  };
  const rows = rowsWith({ isCurrent: () => false, reseal });
  const { unreadable } = await resealAll({ ...rows, replace: async (pairs) => pairs.length });
  return unreadable;
}

function tryReseal<Row>(rows: SealedRows<Row>, row: Row): Resealed<Row>[] {
  try {
    return [{ row, fresh: rows.reseal(row) }];
  } catch (error) {
    if (error instanceof VaultError) return [];
    throw error;
  }
}
