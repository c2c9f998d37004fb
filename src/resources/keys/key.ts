import { type Static, Type } from "@sinclair/typebox";
import type { ApiKey } from "../../accounts/api-keys";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import {
  moment,
  named,
  nullable,
  optional,
  ref,
  request,
  text,
  timestamp,
  words,
} from "../../api/openapi/schema";
import { toText } from "../../domain/ids";
import { PERMISSIONS } from "../../domain/permission";

const permission = words("Permission", PERMISSIONS);

export const NewKey = request(
  "CreateKey",
  Type.Object({
    name: optional(text({ minLength: 1, maxLength: 256 })),
    permissions: Type.Optional(
      Type.Array(permission, {
        minItems: 1,
        maxItems: 64,
        description:
          "The key's permissions. Default: all but `accounts:act` and `admin`. Null is refused, so that a mistake never grants them all.",
      }),
    ),
    expires_at: optional(
      moment(
        "When the key expires (ISO 8601). By default and at the latest when the requesting key expires.",
      ),
    ),
  }),
);

export const KeyChanges = request("UpdateKey", Type.Object({ is_active: Type.Boolean() }));

export const Key = named(
  "Key",
  Type.Object({
    id: Type.String({ description: "Begins with `key_`." }),
    name: nullable(Type.String()),
    permissions: Type.Array(permission),
    is_active: Type.Boolean(),
    expires_at: nullable(timestamp()),
    created_at: timestamp(),
    last_used_at: nullable(timestamp("To the minute; null if the key was never used.")),
    created_by: nullable(
      Type.String({
        description:
          "The key that created this one. Revoking or disabling it does the same to this key. Null: the operator created it, with " +
          "`HERMOD_ADMIN_KEY` or with an administrator's key of another account; their end changes nothing here.",
      }),
    ),
  }),
);

export const CreatedKey = named(
  "CreatedKey",
  Type.Composite([
    Key,
    Type.Object({ key: Type.String({ description: "The key's text, shown only in this answer." }) }),
  ]),
);

export const KeyList = named("KeyList", Type.Object({ data: Type.Array(ref("Key")) }));

export const KEY_EXAMPLE = {
  id: "key_01k9x3t1m4e6bt7m9n2p4r6s8w",
  name: "Shop backend",
  permissions: ["webhooks:write", "webhooks:read"],
  is_active: true,
  expires_at: null,
  created_at: "2026-01-31T12:00:00.000Z",
  last_used_at: null,
  created_by: "key_01k9x3s7v2d5as6k8m1n3q5t7v",
} satisfies Static<typeof Key>;

/** Returns the API's form of a key, without the key's text. */
export function viewOfKey(key: ApiKey): Static<typeof Key> {
  return {
    id: toText("key", key.id),
    name: key.name,
    permissions: key.permissions,
    is_active: key.isActive,
    expires_at: formatMaybe(key.expiresAt),
    created_at: formatInstant(key.createdAt),
    last_used_at: formatMaybe(key.lastUsedAt),
    created_by: key.createdBy && toText("key", key.createdBy),
  };
}
