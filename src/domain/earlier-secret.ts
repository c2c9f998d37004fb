/** A replaced secret. It signs beside the newer ones until `until`, Unix milliseconds. */
export type EarlierSecret = Readonly<{ sealed: string; until: number }>;
