import { KEYS } from "../../accounts/api-keys";
import { DELETED_ANSWER } from "../deletion";
import { operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { CreateKey, KEY_EXAMPLE, UpdateKey } from "./model";

const tag = "Account";
const NO_MIGHTIER =
  "403 for a key with permissions that the requesting one lacks; `DELETE /admin/keys/{id}` revokes any key.";
const LINE = "the keys that it made, and the keys that they made";
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
    "The new key has no permission that the requesting key lacks, and ends no later: a later `expires_at` becomes the end of " +
    "the requesting key. It is disabled and revoked with its maker (`created_by`). A JWT can't create keys. The key's text is " +
    `returned only in this answer; an Idempotency-Key returns it again to its maker alone. At most ${KEYS.most} an account; one ` +
    "more is a 409.",
  body: NEW_KEY,
  success: CREATED_KEY,
});

export const update = operation("PATCH", {
  id: "updateKey",
  permission: "keys:write",
  tag,
  summary: "Enable or disable a key",
  description:
    `Takes effect everywhere within five seconds. Disabling a key disables ${LINE}, as well; enabling enables this key ` +
    `alone. What ends can't enable a key that ends later. ${NO_MIGHTIER}`,
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
  description: `Takes effect everywhere within five seconds. Revokes ${LINE}, as well. ${NO_MIGHTIER}`,
  path,
  success: DELETED_ANSWER,
  errors: [404],
});
