import { badRequest } from "../../api/errors";
import { eventProblem } from "../../domain/names";
import { percentDecoded } from "../../runtime/text/plain-text";

/** A request, and the event type that the router found in its URL. */
type NamedRequest = { request: { url: string }; params: { name: string } };

/** Returns the event type of the path. Throws 400 for a name that no event type can have. */
export function checkedName(named: NamedRequest): string {
  const found = nameIn(named);
  if ("problem" in found) throw badRequest(`name ${found.problem}`);
  return found.name;
}

/** Returns the event type of the path; null for a name that no event type can have. */
export function possibleName(named: NamedRequest): string | null {
  const found = nameIn(named);
  return "name" in found ? found.name : null;
}

/**
 * Reads the event type from the path, or returns its problem. Does not use the router's text, where U+FFFD, a legal character of
 * event types, replaces invalid UTF-8. The exceptions are `.` and `..`: normalisation removes them from the URL, so they come from
 * the router.
 */
function nameIn({
  request: { url },
  params: { name: routed },
}: NamedRequest): { name: string } | { problem: string } {
  if (routed === "." || routed === "..") return { name: routed };
  const [, written = ""] = /\/event-types\/([^/?#]*)/.exec(url) ?? [];
  const name = percentDecoded(written);
  if (name === null) return { problem: "must be percent-encoded UTF-8" };
  const problem = eventProblem(name);
  return problem === null ? { name } : { problem };
}
