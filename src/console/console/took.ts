import type { Row } from "../pages/delivery-list";
import { duration } from "../shared/format";

type Ended = Pick<Row, "created_at" | "completed_at" | "attempt_count">;

/** Writes the time from the acceptance of a delivery to its end; empty if it waits, or was never attempted. */
export function tookWords({ created_at, completed_at: end, attempt_count: attempts }: Ended): string {
  if (end == null || attempts === 0) return "";
  return duration(Math.max(0, Date.parse(end) - Date.parse(created_at)));
}
