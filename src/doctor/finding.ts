/** What a check found. A fault stops Hermod or breaks a promise; a warning costs speed, or will matter later. */
export type Finding = Readonly<{
  state: "ok" | "warning" | "fault";
  subject: "machine" | "postgres" | "nats";
  /** What was found, and what to change unless it is fine. */
  text: string;
}>;

export type Findings = Readonly<Record<Finding["state"], (text: string) => void>> & {
  readonly all: readonly Finding[];
};

/** Collects what is found about a subject. */
export function findingsOf(subject: Finding["subject"]): Findings {
  const all: Finding[] = [];
  const note = (state: Finding["state"]) => (text: string) => void all.push({ state, subject, text });
  return { ok: note("ok"), warning: note("warning"), fault: note("fault"), all };
}
