import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { EndpointChanges } from "../../client";
import { wholeNumber } from "./command";

type Ordering = NonNullable<EndpointChanges["ordering"]>;

export type TuningFlags = {
  ordering?: Ordering | undefined;
  maxInFlight?: number | undefined;
  rateLimit?: number | None | undefined;
  timeout?: number | None | undefined;
  retry?: number[] | None | undefined;
};

/** How an endpoint is delivered to, as the API names it. */
export function tuned({ ordering, maxInFlight, rateLimit, timeout, retry }: TuningFlags) {
  return {
    ordering,
    max_in_flight: maxInFlight,
    rate_limit: orNull(rateLimit),
    timeout_ms: orNull(timeout),
    retry_schedule_ms: orNull(retry),
  } satisfies EndpointChanges;
}

// Not null itself, which Commander takes for an option without a value.
const NONE = "none";
type None = typeof NONE;

function orNull<T>(value: T | None): T | null {
  return value === NONE ? null : value;
}

export function ordering(text: string): Ordering {
  if (text === "ordered" || text === "unordered") return text;
  throw new InvalidArgumentError("It must be ordered or unordered.");
}

export function numberOrNone(text: string): number | None {
  return text === NONE ? NONE : wholeNumber(1)(text);
}

/** Reads waits with commas between them. */
export function waits(text: string): number[] | None {
  if (text === NONE) return NONE;
  if (text === "") throw new InvalidArgumentError("It must be milliseconds with commas between them.");
  return text.split(",").map((each) => wholeNumber(0)(each.trim()));
}
