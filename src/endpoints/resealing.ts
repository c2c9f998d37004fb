import type { Database } from "../db/database";
import { untilNoDeadlock } from "../db/database";
import type { Sql } from "../db/pool";
import { arrayOf } from "../db/sql/arrays";
import type { AccountId, EndpointId } from "../domain/ids";
import type { EarlierSecret, StoredHeaders } from "../domain/tuning";
import {
  RESEAL_ROWS,
  type ResealCount,
  type Resealed,
  type Resealer,
  resealAll,
  type SealedRows,
} from "../vault/resealing";
import { headerContext } from "./request-headers";
import { secretContext } from "./signing-secret";

type SealedRow = {
  id: EndpointId;
  accountId: AccountId;
  signingSecret: string;
  earlierSecrets: EarlierSecret[] | null;
  headers: StoredHeaders | null;
};

/** Seals endpoints' secrets with the vault's first key. Throws `DatabaseUnavailable`. */
export function resealEndpoints(db: Database, vault: Resealer): Promise<ResealCount> {
  return resealAll(sealedEndpoints(db, vault));
}

/** Returns the rows of endpoints that have sealed secrets. */
export function sealedEndpoints(db: Pick<Database, "run">, vault: Resealer): SealedRows<SealedRow> {
  return {
    read: (last) => db.run((sql) => selectSealed(sql, last?.id ?? null)),
    isCurrent: (row) => sealedIn(row).every((sealed) => vault.isCurrent(sealed)),
    reseal: (row) => resealRow(row, vault),
    replace: async (pairs) => {
      const written = await untilNoDeadlock(() => db.run((sql) => replaceSealed(sql, pairs)));
      return written.count;
    },
  };
}

function sealedIn({ signingSecret, earlierSecrets, headers }: SealedRow): string[] {
  const ofHeaders = Object.values(headers ?? {}).flatMap((each) => ("sealed" in each ? [each.sealed] : []));
  return [signingSecret, ...(earlierSecrets ?? []).map(({ sealed }) => sealed), ...ofHeaders];
}

function resealRow(row: SealedRow, vault: Resealer): SealedRow {
  const { id, accountId, signingSecret, earlierSecrets, headers } = row;
  const context = secretContext(accountId, id);
  return {
    ...row,
    signingSecret: vault.reseal(signingSecret, context),
    earlierSecrets:
      earlierSecrets?.map(({ sealed, until }) => ({ sealed: vault.reseal(sealed, context), until })) ?? null,
    headers:
      headers &&
      resealHeaders(headers, (sealed, name) => vault.reseal(sealed, headerContext(accountId, id, name))),
  };
}

function resealHeaders(
  headers: StoredHeaders,
  reseal: (sealed: string, name: string) => string,
): StoredHeaders {
  const entries = Object.entries(headers).map(([name, header]) => [
    name,
    "sealed" in header ? { sealed: reseal(header.sealed, name) } : header,
  ]);
  return Object.fromEntries(entries);
}

function selectSealed(sql: Sql, last: EndpointId | null): Promise<SealedRow[]> {
  return sql<SealedRow[]>`
    select id, account_id as "accountId", signing_secret as "signingSecret",
      earlier_secrets as "earlierSecrets", headers
    from endpoints
    where signing_secret <> '' and ${last === null ? sql`true` : sql`id > ${last}`}
    order by id limit ${RESEAL_ROWS}
  `;
}

// Compare and set: skips rows that changed meanwhile.
function replaceSealed(sql: Sql, pairs: readonly Resealed<SealedRow>[]) {
  const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return sql`
    update endpoints e
    set signing_secret = i.secret, earlier_secrets = i.earlier::jsonb, headers = i.headers::jsonb
    from unnest(
      ${arrayOf(pairs.map(({ row }) => row.id))}::uuid[],
      ${arrayOf(pairs.map(({ row }) => row.signingSecret))}::text[],
      ${arrayOf(pairs.map(({ row }) => jsonOf(row.earlierSecrets)))}::text[],
      ${arrayOf(pairs.map(({ row }) => jsonOf(row.headers)))}::text[],
      ${arrayOf(pairs.map(({ fresh }) => fresh.signingSecret))}::text[],
      ${arrayOf(pairs.map(({ fresh }) => jsonOf(fresh.earlierSecrets)))}::text[],
      ${arrayOf(pairs.map(({ fresh }) => jsonOf(fresh.headers)))}::text[]
    ) as i(id, was_secret, was_earlier, was_headers, secret, earlier, headers)
    where e.id = i.id and e.signing_secret = i.was_secret
      and e.earlier_secrets is not distinct from i.was_earlier::jsonb
      and e.headers is not distinct from i.was_headers::jsonb
  `;
}
