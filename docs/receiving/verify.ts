import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

/**
 * Returns whether one of the secrets signed this body within five minutes of now. Call it before you parse the body:
 *
 *     isGenuine(
 *       new Uint8Array(await request.arrayBuffer()),
 *       request.headers.get("webhook-id") ?? "",
 *       request.headers.get("webhook-timestamp") ?? "",
 *       request.headers.get("webhook-signature") ?? "",
 *       process.env.WEBHOOK_SECRET.split(" "), // several while one is being replaced
 *     )
 */
export function isGenuine(
  body: Uint8Array,
  id: string,
  timestamp: string,
  signatures: string,
  secrets: readonly string[],
  now = Date.now() / 1_000,
): boolean {
  if (id === "" || !/^\d{1,15}$/.test(timestamp)) return false;
  if (Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const given = signatures.split(" ").map((signature) => Buffer.from(signature));
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
    const expected = Buffer.from(`v1,${mac}`);
    // Everybody knows the empty key.
    return (
      key.length > 0 &&
      given.some((each) => each.length === expected.length && timingSafeEqual(each, expected))
    );
  });
}
