import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Delivery } from "../../client";

const STATUSES: readonly Delivery["status"][] = ["pending", "delivered", "failed", "cancelled"];

/** Reads the status of deliveries. */
export function readStatus(text: string): Delivery["status"] {
  const status = STATUSES.find((each) => each === text);
  if (status === undefined) throw new InvalidArgumentError(`It must be one of ${STATUSES.join(", ")}.`);
  return status;
}
