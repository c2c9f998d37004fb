import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { EndpointChanges } from "../../client";
import { wholeNumber } from "./command";

type Ordering = NonNullable<EndpointChanges["ordering"]>;

export type TuningFlags = {
  ordering?: Ordering | undefined;
  maxInFlight?: number | undefined;
  rateLimit?: number | null | undefined;
  timeout?: number | null | undefined;
  retry?: number[] | null | undefined;
};

/** How an endpoint is delivered to, as the API names it. */
export function tuned({ ordering, maxInFlight, rateLimit, timeout, retry }: TuningFlags) {
  return {
    ordering,
    max_in_flight: maxInFlight,
    rate_limit: rateLimit,
    timeout_ms: timeout,
    retry_schedule_ms: retry,
  } satisfies EndpointChanges;
}

const NONE = "none";

export function ordering(text: string): Ordering {
  if (text === "ordered" || text === "unordered") return text;
  throw new InvalidArgumentError("It must be ordered or unordered.");
}

export function numberOrNone(text: string): number | null {
  return text === NONE ? null : wholeNumber(1)(text);
}

/** Reads waits with commas between them. */
export function waits(text: string): number[] | null {
  if (text === NONE) return null;
  if (text === "") throw new InvalidArgumentError("It must be milliseconds with commas between them.");
  return text.split(",").map((each) => wholeNumber(0)(each.trim()));
}
