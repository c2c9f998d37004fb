export const JOB_STATES = ["running", "completed", "cancelled", "failed"] as const;
export type JobState = (typeof JOB_STATES)[number];

export const JOB_KINDS = ["replay", "missing_replay", "resend", "erasure"] as const;
export type JobKind = (typeof JOB_KINDS)[number];
