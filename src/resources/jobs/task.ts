import type { Static } from "@sinclair/typebox";
import { badRequest } from "../../api/errors";
import { readEndpointId } from "../../api/ids";
import { readInstant } from "../../api/lists/instant";
import type { Erasure, MissingReplay, Replay } from "../../jobs/job";
import type { CreateErasure, CreateReplay } from "./job";

/** Returns the task of POST /endpoints/:id/replay. Throws 400. */
export function replayIn(
  body: Static<typeof CreateReplay>,
  now: number,
): Omit<Replay, "endpointId"> | Omit<MissingReplay, "endpointId"> {
  const { event = null, status = null, missing = false, ...given } = body;
  const range = { event, ...rangeOf(given, now) };
  if (!missing) return { kind: "replay", status, ...range };
  if (status !== null)
    throw badRequest("status and missing can't be given together: a missing delivery has no status");
  return { kind: "missing_replay", status, ...range };
}

/** Returns the task of POST /erasures. Throws 400. */
export function erasureIn(
  { event, endpoint_id, ...range }: Static<typeof CreateErasure>,
  now: number,
): Erasure {
  const isBounded = [event, endpoint_id, range.after, range.before].some((each) => each !== undefined);
  if (!isBounded)
    throw badRequest("event, endpoint_id, after or before is required, to select the payloads to erase");
  const endpointId = endpoint_id === undefined ? null : readEndpointId(endpoint_id);
  return { kind: "erasure", endpointId, event: event ?? null, status: null, ...rangeOf(range, now) };
}

/** Reads the range. It always has an end, so that a job never includes its own deliveries. */
function rangeOf(
  { after, before }: Pick<Static<typeof CreateReplay>, "after" | "before">,
  now: number,
): Pick<Erasure, "createdFrom" | "createdBefore"> {
  const createdFrom = after === undefined ? null : readInstant("after", after);
  const createdBefore = before === undefined ? now : Math.min(readInstant("before", before), now);
  if (createdFrom !== null && createdFrom > createdBefore)
    throw badRequest("after must be earlier than before and not in the future");
  return { createdFrom, createdBefore };
}
