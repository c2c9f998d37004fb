import type { Delivery } from "../../client";
import { oneOf } from "./command";

/** Reads the status of deliveries. */
export const readStatus = oneOf<Delivery["status"]>({
  pending: true,
  delivered: true,
  failed: true,
  cancelled: true,
});
