import { resealEndpoints } from "../endpoints/resealing";
import { resealAnswers } from "../http/idempotency/resealing";
import { describeError } from "../runtime/log";
import { Loop } from "../runtime/loop";
import type { ResealCount } from "../vault/resealing";
import type { Core } from "./core";

/** Once is not enough: while a fleet restarts, others still seal with the key that was first. */
const AGAIN_AFTER_MS = 3_600_000;
/** After a round that missed rows, or failed. */
const RETRY_AFTER_MS = 10_000;

/**
 * Seals everything with the first encryption key, beside all other work, at the start and then hourly, so that
 * the other keys can be dropped. With one key alone it only looks, once, whether that is the right one.
 */
export function resealing(core: Core): Loop {
  return new Loop({
    clock: core.clock,
    round: async () => {
      if (!(await reseal(core))) return RETRY_AFTER_MS;
      return core.vault.hasFormerKeys ? AGAIN_AFTER_MS : null;
    },
    failed: (error) => {
      core.log.debug(describeError(error), "what other keys have sealed stays so for now");
      return RETRY_AFTER_MS;
    },
  });
}

/** False when it must be done again soon. */
async function reseal({ queries, vault, log }: Core): Promise<boolean> {
  const counts = [await resealEndpoints(queries, vault), await resealAnswers(queries, vault)];
  const total = (of: keyof ResealCount) => counts.reduce((sum, count) => sum + count[of], 0);
  if (total("missed") > 0) return false;
  const [resealed, unreadable, key] = [total("resealed"), total("unreadable"), vault.keyId];
  if (unreadable > 0) {
    log.error(
      { unreadable, key },
      "there are rows that no encryption key given can open: what is for them waits",
    );
  } else if (vault.hasFormerKeys) {
    log.info(
      { resealed, key },
      "everything is sealed by the first encryption key: keys of before can be dropped",
    );
  }
  return true;
}
