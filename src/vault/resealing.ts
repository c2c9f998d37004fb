import { type Vault, VaultError } from "./vault";

export type Resealer = Pick<Vault, "isCurrent" | "reseal">;

/** What became of rows that another key than the first had sealed; those that were changed meanwhile are missed. */
export type ResealCount = { resealed: number; missed: number; unreadable: number };

/** A row as it was read, and the same sealed by the first key. */
export type Resealed<Row> = { row: Row; fresh: Row };

/** Rows of a table that hold something sealed. */
export type SealedRows<Row> = {
  /** The next `RESEAL_ROWS` after a row, in an order; null begins. */
  read(last: Row | null): Promise<Row[]>;
  isCurrent(row: Row): boolean;
  /** Throws `VaultError`. */
  reseal(row: Row): Row;
  /** Compare and set: answers how many were still as they had been read. */
  replace(pairs: readonly Resealed<Row>[]): Promise<number>;
};

/** Rows read by one statement, and at most written by one. */
export const RESEAL_ROWS = 200;

/** Seals all rows with the first key. One that can't be opened stays, for the day when its key is given again. */
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

function tryReseal<Row>(rows: SealedRows<Row>, row: Row): Resealed<Row>[] {
  try {
    return [{ row, fresh: rows.reseal(row) }];
  } catch (error) {
    if (error instanceof VaultError) return [];
    throw error;
  }
}
