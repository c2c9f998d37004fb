import { HEARTBEAT_SECONDS, LIVE_STREAMS } from "./live-streams";

/** Describes what all live streams share. */
export const LIVE =
  "The answer is a stream of server-sent events that stays open, with a comment at least every " +
  `${HEARTBEAT_SECONDS} seconds. It ends within five seconds of the credential that it was opened with. ` +
  `At most ${LIVE_STREAMS.ofAccount} streams per account and ${LIVE_STREAMS.inAll} in all in a process; one more gets a 429. ` +
  "A reader that is too slow gets its events later; nothing is left out.";
