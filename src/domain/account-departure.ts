/**
 * How far an account has left its cell. `closing`: requests get 503, and those under way end. `left`: its rows are in `moved_rows`,
 * and nothing is written for it any more.
 */
export const ACCOUNT_DEPARTURES = ["closing", "left"] as const;
export type AccountDeparture = (typeof ACCOUNT_DEPARTURES)[number];
