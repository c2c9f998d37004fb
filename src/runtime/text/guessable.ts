/**
 * Fewest different characters of a random secret. One in 4,000 secrets of 20 random digits has fewer; secrets of other
 * characters have fewer far more rarely.
 */
const LEAST_DIFFERENT = 6;

/** True if a secret's characters or bytes are few, count up or down, or repeat a shorter text. */
export function isGuessable(secret: Uint8Array): boolean {
  const steps = secret.slice(1).map((code, i) => code - (secret[i] ?? 0));
  return [secret, steps].some((codes) => new Set(codes).size < LEAST_DIFFERENT) || isRepetition(secret);
}

function isRepetition(secret: Uint8Array): boolean {
  const half = Math.floor(secret.length / 2);
  return Array.from({ length: half }, (_, i) => i + 1).some((period) =>
    secret.subarray(period).every((code, i) => code === secret[i]),
  );
}
