import type { TransactionSql } from "./pool";

/** Numbers of the advisory locks, for work that one process at a time may do in a database. Arbitrary, unused elsewhere. */
export const LOCKS = {
  migration: 4_812_663_201,
  retention: 4_812_663_202,
  feeds: 4_812_663_203,
  counterDeltas: 4_812_663_204,
  /** Combined with an endpoint's hash. */
  replays: 4_812_663_205,
  /** Combined with an account's hash. */
  limits: 4_812_663_206,
  /** Held during all tries of a migration; `migration` is held during one try. */
  upgrade: 4_812_663_207,
  adminKey: 4_812_663_208,
  /**
   * Shared by requests that create or enable keys; exclusive for revoking and disabling keys with their descendants.
   */
  keyLineage: 4_812_663_209,
  tallies: 4_812_663_210,
  schedule: 4_812_663_211,
  /** Exclusive for a step that moves rows to files; shared by erasures. */
  freezing: 4_812_663_212,
  /** Held by the session of a process that moves an account to another cell. */
  move: 4_812_663_213,
} as const;

/**
 * Takes a lock until the end of the transaction. Resolves to false if another process holds it. A statement of its own: one
 * that also reads has its snapshot already, and would miss what the holder before has just committed.
 */
export async function tryLock(sql: TransactionSql, lock: number): Promise<boolean> {
  const [row] = await sql<{ isMine: boolean }[]>`select pg_try_advisory_xact_lock(${lock}) as "isMine"`;
  return row?.isMine ?? false;
}

/** Takes a lock until the end of the transaction. Waits for all who hold or share it. A statement of its own, like `tryLock`. */
export async function waitForLock(sql: TransactionSql, lock: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lock})`;
}

/** Takes a share of a lock until the end of the transaction. Waits for who holds it. */
export async function shareLock(sql: TransactionSql, lock: number): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${lock})`;
}
