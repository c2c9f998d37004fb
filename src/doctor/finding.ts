/** A finding of a check. A fault stops Hermod or breaks a promise; a warning costs speed, or will matter later. */
export type Finding = Readonly<{
  state: "ok" | "warning" | "fault";
  subject:
    | "machine"
    | "postgres"
    | "nats"
    | "cells"
    | "proxy"
    | "mail"
    | "oidc"
    | "jwt"
    | "collector"
    | "files";
  /** The fact, and the change that is needed unless all is well. */
  text: string;
}>;

export type Findings = Readonly<Record<Finding["state"], (text: string) => void>> & {
  readonly all: readonly Finding[];
};

/** Collects the findings about a subject. */
export function findingsOf(subject: Finding["subject"]): Findings {
  const all: Finding[] = [];
  const note = (state: Finding["state"]) => (text: string) => void all.push({ state, subject, text });
  return { ok: note("ok"), warning: note("warning"), fault: note("fault"), all };
}
