/** What the scenarios have in common. */
export const ENDPOINTS = 200;

/** Long enough for the runtime to have compiled most of what is used often, milliseconds. */
export const WARM_UP_MS = 3_000;
