import type { Static } from "@sinclair/typebox";
import type { NewApiKey } from "../../accounts/api-keys";
import { DEFAULT_PERMISSIONS } from "../../accounts/permissions";
import { badRequest } from "../errors";
import { readInstant } from "../instant";
import { bodyReader } from "../json-body";
import { CreateKey } from "./model";

const read = bodyReader(CreateKey);

/** The key that a request's body asks for. */
export function readNewKey(bytes: Uint8Array, now: number): NewApiKey {
  const { name, permissions, expires_at } = read(bytes);
  return {
    name: name ?? null,
    permissions: permissions ? [...new Set(permissions)] : DEFAULT_PERMISSIONS,
    expiresAt: expiryOf(expires_at, now),
  };
}

function expiryOf(text: Static<typeof CreateKey>["expires_at"], now: number): number | null {
  if (text === undefined) return null;
  const expiresAt = readInstant("expires_at", text);
  if (expiresAt <= now) throw badRequest("expires_at must be in the future");
  return expiresAt;
}
