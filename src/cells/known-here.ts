import { DEFAULT_ACCOUNT } from "../accounts/account";
import { ADMIN_KEY_ID } from "../accounts/api-keys";
import type { Database } from "../db/database";
import type { Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import { fromText } from "../domain/ids";
import { type CellReference, keyOf } from "./reference";

const READ_MS = 2_000;

/** The keys of references that a cell has. Every cell has those in `everywhere`: the admin key and the account `default`. */
export type KnownReferences = { here: string[]; everywhere: string[] };

type KnownRow = { text: string; isEverywhere: boolean };

/** Returns which of the references this database has. Throws `DatabaseUnavailable`. */
export async function knownHere(
  db: Database,
  references: readonly CellReference[],
): Promise<KnownReferences> {
  const [tokens, accounts] = [textsOf(references, "token"), textsOf(references, "account")];
  const found = await Promise.all([
    tokens.length === 0 ? [] : db.run((sql) => selectTokens(sql, tokens), READ_MS),
    accounts.length === 0 ? [] : db.run((sql) => selectAccounts(sql, accounts), READ_MS),
  ]);
  const known = new Map(found.flat().map(({ text, isEverywhere }) => [text, isEverywhere]));
  const those = (isEverywhere: boolean) =>
    references.filter(({ text }) => known.get(text) === isEverywhere).map(keyOf);
  return { here: those(false), everywhere: those(true) };
}

function textsOf(references: readonly CellReference[], kind: CellReference["kind"]): string[] {
  return references.filter((each) => each.kind === kind).map(({ text }) => text);
}

function selectTokens(sql: Sql, hashes: readonly string[]): Promise<KnownRow[]> {
  const wanted = sql`any(${arrayOf(hashes.map((hash) => `\\x${hash}`))}::bytea[])`;
  return sql<KnownRow[]>`
    select encode(hash, 'hex') as text, id = ${ADMIN_KEY_ID} as "isEverywhere" from api_keys where hash = ${wanted}
    union all
    select encode(hash, 'hex'), false from sessions where hash = ${wanted}
  `;
}

/** Selects the asked texts, since an account may be asked for by its id and by its external id. */
function selectAccounts(sql: Sql, texts: readonly string[]): Promise<KnownRow[]> {
  return sql<KnownRow[]>`
    select w.text, a.id = ${DEFAULT_ACCOUNT} as "isEverywhere"
    from unnest(${arrayOf(texts)}::text[], ${arrayOf(texts.map((text) => fromText("acc", text)))}::uuid[]) as w(text, id)
    join accounts a on a.id = w.id or a.external_id = w.text
  `;
}
