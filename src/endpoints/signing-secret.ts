const PREFIX = "whsec_";
const SECRET_BYTES = 32;
/** Lengths of a given secret in bytes that the Standard Webhooks specification allows. */
export const GIVEN_SECRET_BYTES = { least: 24, most: 64 };
/** Characters of the longest secret. */
export const SECRET_MAX_LENGTH = PREFIX.length + Math.ceil(GIVEN_SECRET_BYTES.most / 3) * 4;

/** Makes a signing secret in the form of the Standard Webhooks specification. */
export function newSigningSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64");
}

/** True if a text is a signing secret. Callers may bring one from elsewhere, so receivers can keep theirs. */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const base64 = text.slice(PREFIX.length);
  const bytes = Buffer.from(base64, "base64");
  const { least, most } = GIVEN_SECRET_BYTES;
  // Accepts one form of base64 only, since decoders differ in the variants that they accept.
  return bytes.length >= least && bytes.length <= most && bytes.toString("base64") === base64;
}

/** The context in which a secret is sealed. */
export function secretContext(accountId: string, endpointId: string): string {
  return `${accountId}/${endpointId}`;
}
