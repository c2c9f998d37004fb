/**
 * The life of a cold block. `writing`: its file may be incomplete. `written`: the file is checked, and Postgres has the rows as
 * well. `live`: only the file has the rows. `doomed`: the file is no longer needed, and will be deleted.
 */
export const COLD_STATES = ["writing", "written", "live", "doomed"] as const;
export type ColdState = (typeof COLD_STATES)[number];

/** What a cold block adds to the counters of an event type; the empty text stands for no type. */
export type ColdCount = Readonly<{
  event: string;
  accepted: number;
  delivered: number;
  failed: number;
  cancelled: number;
}>;
