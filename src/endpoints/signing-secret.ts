import type { Vault } from "../vault/vault";

/** What seals and opens secrets. */
export type SecretVault = Pick<Vault, "seal" | "open">;

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new signing secret, in the form of the Standard Webhooks specification. */
export function newSigningSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64");
}

/** The context that a secret is sealed in. */
export function secretContext(accountId: string, endpointId: string): string {
  return `${accountId}/${endpointId}`;
}
