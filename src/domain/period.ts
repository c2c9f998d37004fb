/** Returns the first day of the calendar month (UTC) of a time in Unix milliseconds, as a date for Postgres. */
export function periodOf(now: number): string {
  return `${new Date(now).toISOString().slice(0, 7)}-01`;
}
