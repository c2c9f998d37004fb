import { DEFAULT_ACCOUNT } from "../accounts/account";
import type { Sql } from "../db/pool";
import { type AccountId, toText } from "../domain/ids";
import { sealedEndpoints } from "../endpoints/resealing";
import { lastMigration } from "../transfer/tables";
import { type EncryptionKey, parseEncryptionKeys } from "../vault/encryption-key";
import { countUnreadable } from "../vault/resealing";
import { Vault } from "../vault/vault";
import type { MoveDestination } from "./destination";
import type { MoveSource } from "./source";

/** The two databases of a move. */
export type MovePair = Readonly<{
  from: Sql;
  to: Sql;
  source: MoveSource;
  destination: MoveDestination;
  /** True if the move can read the source's files. */
  readsFiles: boolean;
  /** The destination's keys; null if its database has them. */
  encryptionKeys: readonly EncryptionKey[] | null;
}>;

/** Returns why the account can't move, each reason with its remedy; an empty list if it can. */
export async function unfitness(pair: MovePair, id: AccountId): Promise<string[]> {
  const { from, to, source, destination } = pair;
  if (id === DEFAULT_ACCOUNT) return ["the account default stays in its cell: every cell has one"];
  const [there, here] = [await lastMigration(to), await lastMigration(from)];
  if (there !== here) return ["the two cells have different versions: upgrade the older one"];
  const account = await source.find();
  if (account === null) return ["the source has no such account"];
  const reasons: string[] = [];
  const [wal] = await from<{ level: string }[]>`select current_setting('wal_level') as level`;
  if (wal?.level !== "logical")
    reasons.push("the source's Postgres has wal_level other than logical: set it, and restart Postgres");
  if ((await settingOf(from, "partitions")) !== (await settingOf(to, "partitions")))
    reasons.push(
      "the cells have different HERMOD_PARTITIONS, which can't change: move the account to another cell",
    );
  if (await source.isArriving())
    reasons.push("the account's move to the source has not ended: start that one again first");
  if (account.hasFiles && !pair.readsFiles)
    reasons.push(
      "old deliveries of the account are in files: set HERMOD_COLD_STORE and HERMOD_COLD_S3_… as in the source's processes",
    );
  if (!(await destination.hasPlan(account.plan)))
    reasons.push(`the destination has no plan ${account.plan}: create it there`);
  if (account.externalId !== null && (await destination.hasExternalId(account.externalId)))
    reasons.push(
      `the destination has another account with the external id ${account.externalId}: change one of them`,
    );
  const dependent = await source.keysOfTwoAccounts();
  if (dependent.length > 0)
    reasons.push(
      `keys end with their maker in another account, which stays in its cell: make new ones with HERMOD_ADMIN_KEY, and revoke the keys ${dependent.map((key) => toText("key", key)).join(", ")}`,
    );
  const keys = pair.encryptionKeys ?? (await storedKeys(to));
  if (keys.length === 0)
    return [
      ...reasons,
      "the destination's encryption key is unknown: set HERMOD_ENCRYPTION_KEY as in its processes",
    ];
  const unreadable = await countSealed(from, keys);
  if (unreadable > 0)
    reasons.push(
      `the destination's HERMOD_ENCRYPTION_KEY does not open the secrets of ${unreadable} endpoints: add the source's key as a second one`,
    );
  return reasons;
}

async function settingOf(sql: Sql, name: string): Promise<string | null> {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = ${name}`;
  return row?.value ?? null;
}

/** Returns the keys that a database has; none if its cell gets them from its environment, or has never started. */
async function storedKeys(sql: Sql): Promise<readonly EncryptionKey[]> {
  const stored = await settingOf(sql, "encryption_key");
  return stored === null ? [] : parseEncryptionKeys(stored, "the destination's key");
}

/** Counts the endpoints whose secrets these keys don't open. */
function countSealed(sql: Sql, keys: readonly EncryptionKey[]): Promise<number> {
  const run = <T>(work: (sql: Sql) => Promise<T>) => work(sql);
  return countUnreadable((opener) => sealedEndpoints({ run }, opener), new Vault(keys));
}
