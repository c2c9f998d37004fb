import type { ColdStore } from "../cold/store";
import { Thawing } from "../cold/thawing";
import { parseDatabaseUrl } from "../db/address";
import { LOCKS } from "../db/advisory-locks";
import type { Sql } from "../db/pool";
import { connectOnce } from "../db/settings-taken";
import type { AccountId } from "../domain/ids";
import { systemClock } from "../runtime/clock";
import { prepareSession } from "../transfer/transfer";
import type { EncryptionKey } from "../vault/encryption-key";
import { MoveDestination } from "./destination";
import { unfitness } from "./fitness";
import { giveUp, type MoveOptions, MoveRefused, moveAccount } from "./move";
import { MoveSource } from "./source";

const LIMITS = { connectS: 10, answerMs: 12_000 };
/** After a stop, running statements have this long to end. */
const END_S = 1;
/** The longest statements delete an account's rows from a large table. */
const SESSION = { idleMs: 60_000, statementMs: 3_600_000 };

/** The addresses of the two databases, and the bounds of a move. */
export type MoveSettings = Pick<MoveOptions, "attemptTimeoutMs" | "deadlineMs" | "sourceUrl" | "onStep"> &
  Readonly<{
    from: string;
    to: string;
    /** The store of the source's old deliveries; null without one. */
    store: ColdStore | null;
    /** The destination's keys; null if its database has them. */
    encryptionKeys: readonly EncryptionKey[] | null;
  }>;

export type MoveTask = "move" | "give_up";

/** Moves an account, or ends its move, over one connection to each database. Throws `MoveRefused`, and errors of Postgres. */
export async function startMove(
  task: MoveTask,
  id: AccountId,
  settings: MoveSettings,
  report: (line: string) => void,
): Promise<void> {
  const from = await connect(settings.from);
  const to = await connect(settings.to).catch(async (error) => {
    await from.end({ timeout: END_S });
    throw error;
  });
  try {
    if (!(await isOnlyMove(from)))
      throw new MoveRefused("another account moves from this cell or to it: wait until it has arrived");
    if (!(await isOnlyMove(to)))
      throw new MoveRefused(
        "another account moves from the cell of HERMOD_MOVE_TO or to it, or DATABASE_URL names the same database: wait, or change one of them",
      );
    const source = new MoveSource(from, id);
    const destination = new MoveDestination(to, id);
    const { encryptionKeys, store } = settings;
    const pair = { from, to, source, destination, encryptionKeys, readsFiles: store !== null };
    const check = async () => {
      const reasons = await unfitness(pair, id);
      if (reasons.length > 0) throw new MoveRefused(reasons.join("\n"));
    };
    const thawing = store && new Thawing(store);
    const options = { ...settings, source, destination, thawing, check, report, clock: systemClock };
    await (task === "move" ? moveAccount(options) : giveUp(options));
  } finally {
    await Promise.all([from, to].map((sql) => sql.end({ timeout: END_S })));
  }
}

/** Takes the lock of moves until the connection ends. */
async function isOnlyMove(sql: Sql): Promise<boolean> {
  const [lock] = await sql<{ isMine: boolean }[]>`select pg_try_advisory_lock(${LOCKS.move}) as "isMine"`;
  return lock?.isMine ?? false;
}

async function connect(url: string): Promise<Sql> {
  const { sql } = await connectOnce(parseDatabaseUrl(url), LIMITS);
  await prepareSession(sql, SESSION);
  return sql as unknown as Sql;
}
