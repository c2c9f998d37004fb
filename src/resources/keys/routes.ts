import type { Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Accounts } from "../../accounts/account";
import { type ApiKey, type ApiKeys, KEYS, type NewApiKey } from "../../accounts/api-keys";
import type { Authenticator } from "../../accounts/authentication/authenticator";
import { onlyKey, type Principal, requestingKeyOf } from "../../accounts/authentication/principal";
import { answer } from "../../api/answer";
import type { Call } from "../../api/call";
import { DELETED, DELETED_ANSWER } from "../../api/deletion";
import { badRequest, forbidden } from "../../api/errors";
import type { Guard } from "../../api/guard";
import { idInPath, noSuch } from "../../api/ids";
import { formatInstant, readInstant } from "../../api/lists/instant";
import { answerWhole, DATA } from "../../api/lists/whole-list";
import { operation } from "../../api/openapi/operation";
import { created, type Posting } from "../../api/posting";
import type { PageRequest } from "../../db/page";
import { isForeignKeyViolation } from "../../db/pool";
import type { AccountId, KeyId } from "../../domain/ids";
import { DEFAULT_PERMISSIONS, type Permission, reachesBeyondAccount } from "../../domain/permission";
import type { Clock } from "../../runtime/clock";
import { ACCOUNT_PATH } from "../accounts/account";
import { CreatedKey, KEY_EXAMPLE, Key, KeyChanges, KeyList, NewKey, viewOfKey } from "./key";

const path = { id: { description: "The key's id.", example: KEY_EXAMPLE.id } } as const;

/** The parts that an account's own operations and an administrator's share. */
const LISTED = { status: 200 as const, schema: KeyList, example: { data: [KEY_EXAMPLE] } };
const CREATION = {
  audit: { shows: ["name", "permissions", "expires_at"] },
  tag: "Account",
  body: { schema: NewKey, example: { name: KEY_EXAMPLE.name, permissions: KEY_EXAMPLE.permissions } },
  success: {
    status: 201,
    description: "The key, with its text.",
    schema: CreatedKey,
    example: { ...KEY_EXAMPLE, key: "hmd_3f9c…" },
  },
} as const;

const ONLY_WEAKER_KEYS =
  "403 if the key has permissions that the requesting key lacks; `DELETE /admin/keys/{id}` revokes any key.";
const DESCENDANTS = "the keys that it created, and the keys that these created";

export type KeyOptions = {
  apiKeys: ApiKeys;
  authenticator: Pick<Authenticator, "forget">;
  posting: Posting;
  clock: Clock;
};

/** /keys, of the account itself */
export function keyRoutes(guard: Guard, options: KeyOptions) {
  const { apiKeys, authenticator } = options;
  return new Elysia({ prefix: "/keys" })
    .use(guard)
    .get(
      "",
      ({ call }) => answerKeys(call, apiKeys, call.principal.accountId),
      operation({
        id: "listKeys",
        sdk: "keys.list",
        permission: "keys:write",
        tag: "Account",
        summary: "List the account's keys",
        description: "Newest first, without the keys' texts.",
        success: { ...LISTED, description: "All keys." },
      }),
    )
    .post(
      "",
      ({ call, request, body }) => {
        refuseMoreThanOwn(call.principal, body.permissions ?? DEFAULT_PERMISSIONS);
        return createKey(options, call, request, call.principal.accountId, body);
      },
      operation({
        ...CREATION,
        id: "createKey",
        sdk: "keys.create",
        permission: "keys:write",
        summary: "Create a key",
        description:
          "The new key can have no permission that the requesting key lacks. It expires no later: a later `expires_at` is moved to the " +
          "requesting key's. It is disabled and revoked with the requesting key (`created_by`). A JWT can't create keys. The key's text " +
          "is returned only in this answer; a repeat with the same Idempotency-Key returns it again, to the requesting key alone. " +
          `At most ${KEYS.most} keys per account; one more gets a 409.`,
      }),
    )
    .patch(
      "/:id",
      async ({ call: { principal, allowance }, params, body }) => {
        const { accountId, keyId } = principal;
        const key = await keyNoStrongerThan(principal, apiKeys, params.id);
        if (body.is_active) refuseLongerThanOwn(principal, key);
        const change = body.is_active
          ? apiKeys.enable(accountId, key.id, keyId)
          : apiKeys.disable(accountId, key.id, keyId);
        const changed = await change;
        if (changed === null) throw noSuch("key");
        authenticator.forget();
        return answer(allowance, 200, viewOfKey(changed));
      },
      operation({
        id: "updateKey",
        sdk: "keys.update",
        permission: "keys:write",
        audit: {
          shows: ["is_active"],
          before: async (accountId, { id = "" }) => {
            const key = await apiKeys.get(accountId, idInPath("key", id));
            return key && viewOfKey(key);
          },
        },
        tag: "Account",
        summary: "Enable or disable a key",
        description:
          `Takes effect everywhere within five seconds. Disabling a key also disables ${DESCENDANTS}. Enabling affects this key ` +
          `alone. A key or JWT that expires can't enable a key that expires later. ${ONLY_WEAKER_KEYS}`,
        path,
        body: { schema: KeyChanges, example: { is_active: false } },
        success: { status: 200, description: "The key.", schema: Key, example: KEY_EXAMPLE },
        errors: [404],
      }),
    )
    .delete(
      "/:id",
      async ({ call: { principal, allowance }, params }) => {
        const key = await keyNoStrongerThan(principal, apiKeys, params.id);
        if (!(await apiKeys.revoke(principal.accountId, key.id, principal.keyId))) throw noSuch("key");
        authenticator.forget();
        return answer(allowance, 200, DELETED);
      },
      operation({
        id: "deleteKey",
        sdk: "keys.delete",
        permission: "keys:write",
        audit: { shows: [] },
        tag: "Account",
        summary: "Revoke a key",
        description: `Takes effect everywhere within five seconds. Also revokes ${DESCENDANTS}. ${ONLY_WEAKER_KEYS}`,
        path,
        success: DELETED_ANSWER,
        errors: [404],
      }),
    );
}

/** /admin/accounts/:id/keys and /admin/keys */
export function adminKeyRoutes(guard: Guard, options: KeyOptions & { accounts: Pick<Accounts, "get"> }) {
  const { accounts, apiKeys, authenticator } = options;
  return new Elysia({ prefix: "/admin" })
    .use(guard)
    .get(
      "/accounts/:id/keys",
      async ({ call, params }) => {
        const account = await accounts.get(idInPath("acc", params.id));
        if (account === null) throw noSuch("acc");
        return answerKeys(call, apiKeys, account.id);
      },
      operation({
        id: "listAccountKeys",
        permission: "admin",
        tag: "Administration",
        summary: "List an account's keys",
        path: ACCOUNT_PATH,
        success: { ...LISTED, description: "All keys, newest first." },
        errors: [404],
      }),
    )
    .post(
      "/accounts/:id/keys",
      ({ call, params, request, body }) =>
        createKey(options, call, request, idInPath("acc", params.id), body),
      operation({
        ...CREATION,
        id: "createAccountKey",
        permission: "admin",
        tag: "Administration",
        summary: "Create a key for an account",
        description:
          "The new key may have any permission. It expires no later than the requesting key, and is disabled and revoked with it. " +
          "Keys that `HERMOD_ADMIN_KEY` created stay valid when it is replaced. The key's text is returned only in this answer.",
        path: ACCOUNT_PATH,
        errors: [404],
      }),
    )
    .delete(
      "/keys/:id",
      async ({ call, params }) => {
        if (!(await apiKeys.revoke(null, idInPath("key", params.id), call.principal.keyId)))
          throw noSuch("key");
        authenticator.forget();
        return answer(call.allowance, 200, DELETED);
      },
      operation({
        id: "deleteAnyKey",
        permission: "admin",
        cells: "found",
        audit: { shows: [] },
        tag: "Administration",
        summary: "Revoke a key of any account",
        description:
          "Also revokes the keys that it created, and the keys that these keys created in turn. Keys that it created for other accounts " +
          "stay, unless they have the permission `admin` or `accounts:act`.",
        path,
        success: DELETED_ANSWER,
        errors: [404],
      }),
    );
}

/** Answers with all keys of an account, newest first. */
function answerKeys({ allowance }: Call, apiKeys: ApiKeys, accountId: AccountId): Promise<Response> {
  const read = (asked: PageRequest<KeyId>) => apiKeys.page(accountId, asked);
  return answerWhole(allowance, { keyOf: ({ id }) => id, read, view: viewOfKey }, DATA);
}

function createKey(
  { apiKeys, posting, clock }: KeyOptions,
  call: Call,
  request: Request,
  accountId: AccountId,
  body: Static<typeof NewKey>,
): Promise<Response> {
  const by = requestingKey(call);
  return posting.handleSecret(call, request, () => {
    const wanted = wantedIn(body, clock.now());
    // A key with these permissions ends with the key that created it, and people have no key. Another cell's key has no row here.
    if (by === null && reachesBeyondAccount(wanted.permissions))
      throw forbidden(
        `${onlyKey(call.principal)} can create keys with the permissions admin and accounts:act`,
      );
    return async (sql) => {
      const { key, record } = await knownAccount(apiKeys.create(sql, accountId, wanted, by));
      return created({ ...viewOfKey(record), key });
    };
  });
}

/**
 * Returns the id of the requesting key; null for a person, and for an administrator of another cell. Refuses JWTs, because they
 * can't be revoked together with the keys that they create.
 */
function requestingKey({ principal }: Call): KeyId | null {
  const { keyId, session } = principal;
  if (requestingKeyOf(principal) === null && !session?.person)
    throw forbidden("A JWT can't create keys; use an API key");
  return keyId;
}

function wantedIn({ name, permissions, expires_at }: Static<typeof NewKey>, now: number): NewApiKey {
  return {
    name: name ?? null,
    permissions: permissions ? [...new Set(permissions)] : DEFAULT_PERMISSIONS,
    expiresAt: expires_at == null ? null : futureInstant(expires_at, now),
  };
}

function futureInstant(text: string, now: number): number {
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

/** Finds a key. Throws 403 if it has permissions that the requesting key lacks. Needs no lock, since permissions never change. */
async function keyNoStrongerThan(
  { accountId, permissions }: Principal,
  apiKeys: ApiKeys,
  id: string,
): Promise<ApiKey> {
  const key = await apiKeys.get(accountId, idInPath("key", id));
  if (key === null) throw noSuch("key");
  const lacking = key.permissions.filter((each) => !permissions.has(each));
  if (lacking.length > 0)
    throw forbidden(`Your key can't change a key with permissions that it lacks: ${lacking.join(", ")}`);
  return key;
}

/** Refuses to enable a key that ends later than the requesting key or JWT. */
function refuseLongerThanOwn({ expiresAt: own }: Principal, { expiresAt }: ApiKey): void {
  if (own === null || (expiresAt !== null && expiresAt <= own)) return;
  throw forbidden(`Your credential ends at ${formatInstant(own)}; it can't enable a key that ends later`);
}

/** Refuses permissions that the requesting key lacks, so that no key creates a more powerful one. */
function refuseMoreThanOwn(principal: Principal, permissions: readonly Permission[]): void {
  const lacking = permissions.filter((each) => !principal.permissions.has(each));
  if (lacking.length > 0)
    throw forbidden(`Your key can't grant permissions that it lacks: ${lacking.join(", ")}`);
}
