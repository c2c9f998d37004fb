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
