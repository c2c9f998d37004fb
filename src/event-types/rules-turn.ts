import type { Answer } from "./judge";

/** A thread begins no further question of a message after this much CPU time. The caller asks again. */
export const TURN_MS = 10;

/** The index in progress while no question is. */
export const NONE = -1;

/** An answer, and the CPU time that it took. */
export type Reply = Readonly<{ answer: Answer; ms: number }>;
