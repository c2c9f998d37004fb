import type { Output } from "./output";

/** A fetch that says when the service goes away, and when it is back, once each. */
export function tellingAbsence(output: Pick<Output, "note">) {
  let wasAway = false;
  const tell = (isAway: boolean) => {
    if (isAway && !wasAway) output.note("Hermod is away; this goes on once it is back.");
    if (!isAway && wasAway) output.note("Hermod is back.");
    wasAway = isAway;
  };
  return async (url: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await fetch(url, init);
      tell(response.status === 503);
      return response;
    } catch (error) {
      // Whoever ends a request himself does not miss the answer.
      if (!(error instanceof Error && error.name === "AbortError")) tell(true);
      throw error;
    }
  };
}
