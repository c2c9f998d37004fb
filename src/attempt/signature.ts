/** Standard Webhooks signatures, https://www.standardwebhooks.com (scheme v1: HMAC-SHA256). */

const SECRET_PREFIX = "whsec_";

/** Returns the key of a `whsec_…` secret. */
function keyOfSecret(secret: string): Uint8Array {
  const base64 = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  return Buffer.from(base64, "base64");
}

/** Makes the `webhook-signature` header: one signature for each secret, separated by spaces. `timestamp` is Unix seconds. */
export function signatureHeader(
  secrets: readonly string[],
  webhookId: string,
  timestamp: number,
  body: string,
): string {
  const before = `${webhookId}.${timestamp}.`;
  return secrets.map((secret) => `v1,${sign(secret, before, body)}`).join(" ");
}

function sign(secret: string, before: string, body: string): string {
  return new Bun.CryptoHasher("sha256", keyOfSecret(secret)).update(before).update(body).digest("base64");
}
