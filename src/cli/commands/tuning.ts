import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { EndpointChanges } from "../../client";
import { wholeNumber } from "./command";

export type TuningFlags = {
  rateLimit?: number | null | undefined;
  timeout?: number | null | undefined;
  retry?: number[] | null | undefined;
};

/** How an endpoint is delivered to, as the API names it. */
export function tuned({ rateLimit, timeout, retry }: TuningFlags) {
  const fields = { rate_limit: rateLimit, timeout_ms: timeout, retry_schedule_ms: retry };
  return fields satisfies EndpointChanges;
}

const NONE = "none";

export function numberOrNone(text: string): number | null {
  return text === NONE ? null : wholeNumber(1)(text);
}

/** Reads waits with commas between them. */
export function waits(text: string): number[] | null {
  if (text === NONE) return null;
  if (text === "") throw new InvalidArgumentError("It must be milliseconds with commas between them.");
  return text.split(",").map((each) => wholeNumber(0)(each.trim()));
}
