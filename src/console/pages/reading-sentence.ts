import type { Endpoint } from "../../client/types";
import { duration, pendingWords } from "../shared/format";
import { partTexts } from "../shared/texts";

/** Says when the receiver of a pulled endpoint last read, and how many deliveries wait. Null for an endpoint that is pushed. */
export function readingSentence(
  { delivery, health }: Pick<Endpoint, "delivery" | "health">,
  now: number,
): string | null {
  if (delivery !== "pull") return null;
  const { last_read_at: read, pending } = health;
  const waiting = pendingWords(pending);
  const t = partTexts.value;
  if (read === null) return t.neverRead(waiting);
  const seconds = Math.max(1, Math.round((now - Date.parse(read)) / 1_000));
  return t.read(duration(seconds * 1_000), waiting);
}
