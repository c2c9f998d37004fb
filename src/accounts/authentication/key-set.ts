import { createRemoteJWKSet, customFetch, errors, type FetchImplementation } from "jose";
import { boundedFetch } from "../../runtime/bounded-fetch";
import { messageOf } from "../../runtime/errors";

/** The issuer's keys could not be fetched, so a token could be neither accepted nor refused. */
export class KeySetUnavailable extends Error {
  constructor(reason: string) {
    super(`the JSON Web Key Set can't be fetched: ${reason}`);
    this.name = "KeySetUnavailable";
  }
}

export const KEY_SET_ALGORITHMS = ["RS256", "ES256", "EdDSA"];

const TIMEOUT_MS = 5_000;
/** An unknown key id fetches the set again, at most once in this time. */
const COOLDOWN_MS = 10_000;
const MAX_AGE_MS = 600_000;

type RemoteKeySet = ReturnType<typeof createRemoteJWKSet>;

/** Finds a token's key in the set at a URL. Throws `KeySetUnavailable` only if the set can't be fetched. */
export function remoteKeySet(url: string): RemoteKeySet {
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: MAX_AGE_MS,
    [customFetch]: fetchKeys,
  });
}

/** Fetches the set, and returns the algorithms that it has a key for. Throws `KeySetUnavailable`. */
export async function algorithmsOf(url: string): Promise<string[]> {
  const keyFor = remoteKeySet(url);
  const hasKey = (alg: string) =>
    keyFor({ alg }, { payload: "", signature: "" }).then(
      () => true,
      (error) => {
        if (error instanceof errors.JWKSNoMatchingKey) return false;
        if (error instanceof errors.JWKSMultipleMatchingKeys) return true;
        throw error;
      },
    );
  const has = await Promise.all(KEY_SET_ALGORITHMS.map(hasKey));
  return KEY_SET_ALGORITHMS.filter((_, i) => has[i]);
}

/** Skips members that are no keys, for which jose would refuse the whole set. */
const fetchKeys: FetchImplementation = async (url, options) => {
  const { keys } = await fetchSet(url, options).catch((error) => {
    throw new KeySetUnavailable(messageOf(error));
  });
  return Response.json({ keys: keys.filter(isObject) });
};

/** Most bytes of a key set. JSON of this length is parsed within a few milliseconds. */
export const KEY_SET_LIMIT = 65_536;

const fetchWithinLimit = boundedFetch(KEY_SET_LIMIT);

async function fetchSet(...request: Parameters<FetchImplementation>): Promise<{ keys: unknown[] }> {
  const response = await fetchWithinLimit(...request);
  if (response.status !== 200) throw new Error(`the answer has the status ${response.status}`);
  const set: unknown = await response.json();
  if (!isObject(set) || !("keys" in set) || !Array.isArray(set.keys))
    throw new Error("the answer is not a key set");
  return { keys: set.keys };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
