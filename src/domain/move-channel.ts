import type { AccountId } from "./ids";

/** The names of what carries an account's rows from one Postgres to the other. */
export type ChannelNames = Readonly<{
  /** Publications of the source: of rows that may be changed once they are written, and of others. */
  changes: string;
  records: string;
  /** The source's slot, and the destination's subscription. */
  slot: string;
}>;

export function channelOf(id: AccountId): ChannelNames {
  const slot = `hermod_move_${id.replaceAll("-", "")}`;
  return { changes: `${slot}_changes`, records: `${slot}_records`, slot };
}
