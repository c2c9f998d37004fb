/** Encryption of what must not lie open in the database; the context binds a text to its place. */
export type SecretVault = {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
};

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
