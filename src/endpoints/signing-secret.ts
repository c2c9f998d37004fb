import type { Vault } from "../vault/vault";

/** What seals and opens secrets. */
export type SecretVault = Pick<Vault, "seal" | "open">;

const PREFIX = "whsec_";
const SECRET_BYTES = 32;
/** What a given secret may have, as the Standard Webhooks specification has it. */
export const GIVEN_SECRET_BYTES = { least: 24, most: 64 };
/** Characters of the longest. */
export const SECRET_MAX_LENGTH = PREFIX.length + Math.ceil(GIVEN_SECRET_BYTES.most / 3) * 4;

/** A new signing secret, in the form of the Standard Webhooks specification. */
export function newSigningSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64");
}

/** Whether a text is a signing secret, as one may be brought along from elsewhere: its receiver then has no other to learn. */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const base64 = text.slice(PREFIX.length);
  const bytes = Buffer.from(base64, "base64");
  const { least, most } = GIVEN_SECRET_BYTES;
  // Decoders differ in what else they take for base64.
  return bytes.length >= least && bytes.length <= most && bytes.toString("base64") === base64;
}

/** The context that a secret is sealed in. */
export function secretContext(accountId: string, endpointId: string): string {
  return `${accountId}/${endpointId}`;
}
