import { fetchLocally } from "./local-fetch";
import type { Output } from "./output";

/** Answers of a service that is away for the moment, or of what stands in front of it. */
const AWAY = [502, 503, 504];

/** Makes a fetch that reports once when the service goes away, and once when it is back. */
export function tellingAbsence(output: Pick<Output, "note">) {
  let wasAway = false;
  const tell = (isAway: boolean) => {
    if (isAway && !wasAway) output.note("Hermod is away; this goes on once it is back.");
    if (!isAway && wasAway) output.note("Hermod is back.");
    wasAway = isAway;
  };
  return async (url: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await fetchLocally(url, init);
      tell(AWAY.includes(response.status));
      return response;
    } catch (error) {
      // A request that we ended ourselves says nothing about the service.
      if (!(error instanceof Error && error.name === "AbortError")) tell(true);
      throw error;
    }
  };
}
