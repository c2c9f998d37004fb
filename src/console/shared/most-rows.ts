/** Most rows that a live list keeps while nobody reads further down, and most new rows that wait for the reader. */
export const MOST_ROWS = 1_000;
