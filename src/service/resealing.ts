import { resealAnswers } from "../api/idempotency/resealing";
import { resealEndpoints } from "../endpoints/resealing";
import { describeError } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { ResealCount } from "../vault/resealing";
import type { Core } from "./core";

/**
 * The pause between rounds. Rounds repeat, since other processes may seal with a former key until they restart.
 */
const AGAIN_AFTER_MS = 3_600_000;
/** The pause after a round that missed rows or failed. */
const RETRY_AFTER_MS = 10_000;

/**
 * Seals all secrets with the first encryption key, so that former keys can be removed. Runs in the background at the
 * start, then hourly. With a single key it checks once that the key is right.
 */
export function resealing(core: Core): Loop {
  return new Loop({
    clock: core.clock,
    round: async () => {
      if (!(await reseal(core))) return RETRY_AFTER_MS;
      return core.vault.hasFormerKeys ? AGAIN_AFTER_MS : null;
    },
    failed: (error) => {
      core.log.debug(
        describeError(error),
        "could not seal all secrets with the first encryption key; trying again in 10 s",
      );
      return RETRY_AFTER_MS;
    },
  });
}

/** Runs a round. Returns false if it must be repeated soon. */
async function reseal({ queries, vault, log }: Core): Promise<boolean> {
  const counts = [await resealEndpoints(queries, vault), await resealAnswers(queries, vault)];
  const total = (of: keyof ResealCount) => counts.reduce((sum, count) => sum + count[of], 0);
  if (total("missed") > 0) return false;
  const [resealed, unreadable, key] = [total("resealed"), total("unreadable"), vault.keyId];
  if (unreadable > 0) {
    log.error(
      { unreadable, key },
      "some stored secrets need an encryption key that this process lacks; their deliveries wait: add the key to HERMOD_ENCRYPTION_KEY",
    );
  } else if (vault.hasFormerKeys) {
    log.info(
      { resealed, key },
      "all secrets are sealed with the first encryption key; former keys can be removed",
    );
  }
  return true;
}
