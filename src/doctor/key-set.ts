import { algorithmsOf, KEY_SET_ALGORITHMS } from "../accounts/authentication/key-set";
import { describeError } from "../runtime/log";
import type { Config } from "../service/config";
import { type Finding, findingsOf } from "./finding";

/** Checks that HERMOD_JWKS_URL gives keys that can sign JWTs. */
export async function checkKeySet({ jwt }: Config): Promise<readonly Finding[]> {
  const found = findingsOf("jwt");
  if (jwt === null || "secret" in jwt.keys) return found.all;
  try {
    const algorithms = await algorithmsOf(jwt.keys.setUrl);
    if (algorithms.length > 0) found.ok(`HERMOD_JWKS_URL has keys for ${algorithms.join(", ")}`);
    else found.fault(`HERMOD_JWKS_URL has no key for ${KEY_SET_ALGORITHMS.join(", ")}: publish one there`);
  } catch (error) {
    found.fault(
      `${describeError(error).error}. Check HERMOD_JWKS_URL, and that this machine reaches the issuer.`,
    );
  }
  return found.all;
}
