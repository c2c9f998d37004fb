import { type Static, Type } from "@sinclair/typebox";
import type { ReceiverKey } from "../../accounts/receiver-keys";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import { named, nullable, optional, ref, request, text, timestamp } from "../../api/openapi/schema";
import { toText } from "../../domain/ids";

export const CreateReceiverKey = request(
  "CreateReceiverKey",
  Type.Object({ name: optional(text({ minLength: 1, maxLength: 256 })) }),
);

export const ReceiverKeyModel = named(
  "ReceiverKey",
  Type.Object({
    id: Type.String({ description: "Begins with `key_`." }),
    name: nullable(Type.String()),
    created_at: timestamp(),
    last_used_at: nullable(timestamp("To the minute; null if the key was never used.")),
  }),
);

export const CreatedReceiverKey = named(
  "CreatedReceiverKey",
  Type.Composite([
    ReceiverKeyModel,
    Type.Object({ key: Type.String({ description: "The key's text, shown only in this answer." }) }),
  ]),
);

export const ReceiverKeyList = named(
  "ReceiverKeyList",
  Type.Object({ data: Type.Array(ref("ReceiverKey")) }),
);

export const RECEIVER_KEY_EXAMPLE = {
  id: "key_01k9x3t1m4e6bt7m9n2p4r6s8w",
  name: "Warehouse",
  created_at: "2026-01-31T12:00:00.000Z",
  last_used_at: null,
} satisfies Static<typeof ReceiverKeyModel>;

/** Returns the API's form of a receiver's key, without the key's text. */
export function viewOfReceiverKey(key: ReceiverKey): Static<typeof ReceiverKeyModel> {
  return {
    id: toText("key", key.id),
    name: key.name,
    created_at: formatInstant(key.createdAt),
    last_used_at: formatMaybe(key.lastUsedAt),
  };
}
