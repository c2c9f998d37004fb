import { TRIAL_EVENT, UNKNOWN_TRIAL_EVENT } from "../domain/test-event";

/** The requests of a certification, in the order in which they are sent: the most telling first, since time may run out. */
export const TRIALS = [
  "valid",
  "forged",
  "unsigned",
  "old_timestamp",
  "duplicate",
  "exact_bytes",
  "unknown_type",
  "large",
] as const;

export type TrialName = (typeof TRIALS)[number];

/** A request of a certification: how it differs from an ordinary first attempt. */
export type TrialRequest = Readonly<{
  name: TrialName;
  event: string;
  /** JSON text. */
  data: string;
  /** The age of its timestamp. */
  ageSeconds: number;
  signature: "valid" | "forged" | "none";
  /** True: it has the `webhook-id` of the valid one. */
  isRepeat: boolean;
  /** What a sound receiver does with it. */
  expects: "acceptance" | "refusal";
}>;

/** Twice the five minutes after which receivers refuse a request. */
export const OLD_SECONDS = 600;
/** The padding of the large trial's payload. Payloads may have up to 1 MiB. */
export const LARGE_BYTES = 900 * 1_024;
/** Blanks, escapes and a number that a receiver changes if it parses the body and writes it again. */
const EXACT = '{ "trial" : "exact_bytes", "number" : 9007199254740993.10, "text" : "\\u00e9 \\/ é" }';

const ORDINARY: Omit<TrialRequest, "name" | "data"> = {
  event: TRIAL_EVENT,
  ageSeconds: 0,
  signature: "valid",
  isRepeat: false,
  expects: "acceptance",
};

const DIFFERENCES: Readonly<Record<TrialName, Partial<TrialRequest>>> = {
  valid: {},
  forged: { signature: "forged", expects: "refusal" },
  unsigned: { signature: "none", expects: "refusal" },
  old_timestamp: { ageSeconds: OLD_SECONDS, expects: "refusal" },
  duplicate: { isRepeat: true },
  exact_bytes: {},
  unknown_type: { event: UNKNOWN_TRIAL_EVENT },
  large: {},
};

export function trialOf(name: TrialName): TrialRequest {
  return { ...ORDINARY, ...DIFFERENCES[name], name, data: dataOf(name) };
}

function dataOf(name: TrialName): string {
  if (name === "exact_bytes") return EXACT;
  const message = "A trial by Hermod: nothing has happened";
  // A repeat has the body of its original.
  const trial = name === "duplicate" ? "valid" : name;
  return JSON.stringify({ trial, message, ...(name === "large" && { padding: "x".repeat(LARGE_BYTES) }) });
}
