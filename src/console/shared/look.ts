import type { Endpoint } from "../../client/types";

/** How a delivery or an endpoint looks: the icon, the colour and the word always go together. */
export type Look = Mark & Readonly<{ word: string }>;
export type Mark = Readonly<{ icon: string; tone: Tone }>;
export type Tone = "calm" | "ok" | "warn" | "bad" | "accent";

export const HEALTH_MARKS: Readonly<Record<Endpoint["health"]["state"], Mark>> = {
  healthy: { icon: "check", tone: "ok" },
  failing: { icon: "alert", tone: "bad" },
  blocked: { icon: "turn", tone: "bad" },
  disabled: { icon: "slash", tone: "bad" },
  paused: { icon: "pause", tone: "calm" },
};

const BY_TROUBLE: readonly Endpoint["health"]["state"][] = [
  "blocked",
  "failing",
  "disabled",
  "paused",
  "healthy",
];

/**
 * Sorts the endpoints with most trouble first; among equals in trouble, those with most waiting deliveries. Healthy ones keep
 * their order, since their numbers change all the time.
 */
export function byTrouble({ health: a }: Pick<Endpoint, "health">, { health: b }: Pick<Endpoint, "health">) {
  const byWaiting = a.state === "healthy" ? 0 : b.pending - a.pending;
  return BY_TROUBLE.indexOf(a.state) - BY_TROUBLE.indexOf(b.state) || byWaiting;
}

/** A delivery that waits for longer than this many milliseconds is late. Before, it is usually in flight. */
export const LATE_MS = 5_000;
