import { fetchLocally } from "./local-fetch";
import type { Output } from "./output";

/** Statuses of a service that is temporarily unavailable, or of its gateway. */
const AWAY = [502, 503, 504];

/** Makes a fetch that reports once when the service becomes unreachable, and once when it is back. */
export function reportingOutages(output: Pick<Output, "note">) {
  let wasAway = false;
  const report = (isAway: boolean) => {
    if (isAway && !wasAway) output.note("Hermod can't be reached. The command continues once it is back.");
    if (!isAway && wasAway) output.note("Hermod is back.");
    wasAway = isAway;
  };
  return async (url: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await fetchLocally(url, init);
      report(AWAY.includes(response.status));
      return response;
    } catch (error) {
      // An aborted request says nothing about the service.
      if (!(error instanceof Error && error.name === "AbortError")) report(true);
      throw error;
    }
  };
}
