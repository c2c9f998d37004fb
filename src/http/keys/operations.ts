import { KEYS } from "../../accounts/api-keys";
import { DELETED_ANSWER } from "../deletion";
import { operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { CreateKey, KEY_EXAMPLE, UpdateKey } from "./model";

const tag = "Account";
const NO_MIGHTIER =
  "403 if the key has permissions that the requesting key lacks; `DELETE /admin/keys/{id}` revokes any key.";
const LINE = "the keys that it created, and the keys that these created";
const path = { id: { description: "The key's id.", example: KEY_EXAMPLE.id } };

/** The answer with a new key; administration uses it as well. */
export const CREATED_KEY = {
  status: 201,
  description: "The key, with its text.",
  schema: ref("CreatedKey"),
  example: { ...KEY_EXAMPLE, key: "hmd_3f9c…" },
} as const;

export const NEW_KEY = {
  schema: CreateKey,
  example: { name: KEY_EXAMPLE.name, permissions: KEY_EXAMPLE.permissions },
};

export const list = operation("GET", {
  id: "listKeys",
  permission: "keys:write",
  tag,
  summary: "List the account's keys",
  description: "Newest first, without the keys' texts.",
  success: {
    status: 200,
    description: "All keys.",
    schema: ref("KeyList"),
    example: { data: [KEY_EXAMPLE] },
  },
});

export const create = operation("POST", {
  id: "createKey",
  permission: "keys:write",
  tag,
  summary: "Create a key",
  description:
    "The new key can have no permission that the requesting key lacks. It expires no later: a later `expires_at` is moved to the " +
    "requesting key's. It is disabled and revoked with the requesting key (`created_by`). A JWT can't create keys. The key's text " +
    "is returned only in this answer; a repeat with the same Idempotency-Key returns it again, to the requesting key alone. " +
    `At most ${KEYS.most} keys per account; one more gets a 409.`,
  body: NEW_KEY,
  success: CREATED_KEY,
});

export const update = operation("PATCH", {
  id: "updateKey",
  permission: "keys:write",
  tag,
  summary: "Enable or disable a key",
  description:
    `Takes effect everywhere within five seconds. Disabling a key also disables ${LINE}. Enabling affects this key ` +
    `alone. A key or JWT that expires can't enable a key that expires later. ${NO_MIGHTIER}`,
  path,
  body: { schema: UpdateKey, example: { is_active: false } },
  success: { status: 200, description: "The key.", schema: ref("Key"), example: KEY_EXAMPLE },
  errors: [404],
});

export const remove = operation("DELETE", {
  id: "deleteKey",
  permission: "keys:write",
  tag,
  summary: "Revoke a key",
  description: `Takes effect everywhere within five seconds. Also revokes ${LINE}. ${NO_MIGHTIER}`,
  path,
  success: DELETED_ANSWER,
  errors: [404],
});
