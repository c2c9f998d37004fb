import { and, eq, sql as expression, isNull } from "drizzle-orm";
import type { Database } from "../db/database";
import type { TransactionSql } from "../db/pool";
import { endpoints, mailboxes } from "../db/schema";
import { typed } from "../db/typed";
import type { AccountId, EndpointId } from "../domain/ids";
import type { EarlierSecret } from "../domain/tuning";
import type { SecretVault } from "../vault/vault";
import { newSigningSecret, secretContext } from "./signing-secret";

export type Rotation = Readonly<{
  /** The new secret. Only this call returns it. */
  signingSecret: string;
  /** The time at which the replaced secret stops signing, Unix milliseconds; null if it has stopped. */
  previousUntil: number | null;
}>;

export type WantedRotation = Readonly<{
  /** The replaced secret also signs for this long. */
  overlapMs: number;
  /** Checked by the caller with `isSigningSecret`. If it is absent, a new secret is made. */
  signingSecret?: string | undefined;
}>;

/** Most secrets that sign beside the newest. Each costs every request a signature. */
export const MAX_EARLIER_SECRETS = 2;
/** A replaced secret signs for this many seconds by default. */
export const DEFAULT_OVERLAP_S = 86_400;
export const MAX_OVERLAP_S = 7 * 86_400;

/**
 * Returns the secrets that sign beside a new one, newest first. None outlives its successor, so a rotation without
 * overlap ends all of them.
 */
export function earlierAfter(
  replaced: string,
  earlier: readonly EarlierSecret[],
  now: number,
  overlapMs: number,
): EarlierSecret[] {
  const latest = now + overlapMs;
  return [{ sealed: replaced, until: latest }, ...earlier]
    .map(({ sealed, until }) => ({ sealed, until: Math.min(until, latest) }))
    .filter(({ until }) => until > now)
    .slice(0, MAX_EARLIER_SECRETS);
}

/** Gives an endpoint a new secret. Resolves to null if the account has no such endpoint. */
export async function rotateSecret(
  sql: TransactionSql,
  vault: SecretVault,
  accountId: AccountId,
  id: EndpointId,
  { overlapMs, signingSecret = newSigningSecret() }: WantedRotation,
): Promise<Rotation | null> {
  const [held] = await typed(sql)
    .select({
      signingSecret: endpoints.signingSecret,
      earlierSecrets: endpoints.earlierSecrets,
      now: expression<number>`floor(extract(epoch from clock_timestamp()) * 1000)::float8`,
    })
    .from(endpoints)
    .where(and(eq(endpoints.id, id), eq(endpoints.accountId, accountId), isNull(endpoints.deletedAt)))
    .for("no key update");
  if (!held) return null;
  const earlier = earlierAfter(held.signingSecret, held.earlierSecrets ?? [], held.now, overlapMs);
  await typed(sql)
    .update(endpoints)
    .set({
      signingSecret: vault.seal(signingSecret, secretContext(accountId, id)),
      earlierSecrets: earlier.length === 0 ? null : earlier,
    })
    .where(eq(endpoints.id, id));
  await typed(sql)
    .update(mailboxes)
    .set({ revision: expression`${mailboxes.revision} + 1` })
    .where(eq(mailboxes.endpointId, id));
  return { signingSecret, previousUntil: earlier[0]?.until ?? null };
}

/** Removes expired secrets, with which dispatchers no longer sign. */
export async function removeExpiredSecrets(db: Database): Promise<void> {
  await db.run(
    (sql) => sql`
      update endpoints e set earlier_secrets = (
        select jsonb_agg(s.secret order by s.n)
        from jsonb_array_elements(e.earlier_secrets) with ordinality as s(secret, n)
        where (s.secret ->> 'until')::float8 > extract(epoch from now()) * 1000
      )
      where e.id in (
        select id from endpoints
        where earlier_secrets is not null and exists (
          select from jsonb_array_elements(earlier_secrets) as s(secret)
          where (s.secret ->> 'until')::float8 <= extract(epoch from now()) * 1000
        )
        order by id
        for no key update skip locked
      )
    `,
  );
}
