/** The calendar month (UTC) that a moment, Unix milliseconds, falls in: its first day, as Postgres takes a date. */
export function periodOf(now: number): string {
  return `${new Date(now).toISOString().slice(0, 7)}-01`;
}
