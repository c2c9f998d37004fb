import type { Static } from "@sinclair/typebox";
import type { ApiKeys, NewApiKey } from "../../accounts/api-keys";
import { DEFAULT_PERMISSIONS, reachesBeyondAccount } from "../../accounts/authentication/permissions";
import { isForeignKeyViolation } from "../../db/pool";
import type { AccountId, KeyId } from "../../domain/ids";
import type { Clock } from "../../runtime/clock";
import type { Call } from "../call";
import { badRequest, forbidden } from "../errors";
import { noSuch } from "../ids";
import { bodyReader } from "../json/json-body";
import { readInstant } from "../lists/instant";
import { created, type Posting } from "../posting";
import { CreateKey, viewOfKey } from "./model";

export type NewKeyOptions = { apiKeys: ApiKeys; posting: Posting; clock: Clock };

const read = bodyReader(CreateKey);

/** Answers a POST that creates a key. `accountFor` checks the wanted key and returns its account. */
export function createKey(
  { apiKeys, posting, clock }: NewKeyOptions,
  call: Call,
  request: Request,
  accountFor: (wanted: NewApiKey) => AccountId,
): Promise<Response> {
  const by = requestingKey(call);
  const prepare = () => {
    const wanted = readNewKey(call.body, clock.now());
    // A key with these permissions ends with the key that created it, and people have no key.
    if (by === null && reachesBeyondAccount(wanted.permissions))
      throw forbidden("Only an API key can create keys with the permissions admin and accounts:act");
    const accountId = accountFor(wanted);
    return async (sql: Parameters<ApiKeys["create"]>[0]) => {
      const { key, record } = await knownAccount(apiKeys.create(sql, accountId, wanted, by));
      return created({ ...viewOfKey(record), key });
    };
  };
  return posting.handleSecret(call, request, prepare);
}

/**
 * Returns the id of the requesting key; null for a person. Refuses JWTs, because they can't be revoked together with the keys
 * that they create.
 */
function requestingKey({ principal }: Call): KeyId | null {
  const { keyId, session } = principal;
  if (keyId === null && !session?.person) throw forbidden("A JWT can't create keys; use an API key");
  return keyId;
}

function readNewKey(bytes: Uint8Array, now: number): NewApiKey {
  const { name, permissions, expires_at } = read(bytes);
  return {
    name: name ?? null,
    permissions: permissions ? [...new Set(permissions)] : DEFAULT_PERMISSIONS,
    expiresAt: expiryOf(expires_at, now),
  };
}

function expiryOf(text: Static<typeof CreateKey>["expires_at"], now: number): number | null {
  if (text === undefined || text === null) return null;
  const expiresAt = readInstant("expires_at", text);
  if (expiresAt <= now) throw badRequest("expires_at must be in the future");
  return expiresAt;
}

/**
 * Turns a foreign key violation into a 404. Looking the account up first would need a second connection during the transaction.
 */
async function knownAccount<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isForeignKeyViolation(error) ? noSuch("acc") : error;
  }
}
