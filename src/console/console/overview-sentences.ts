import type { Endpoint } from "../../client/types";
import { plural } from "../shared/format";
import { needsAttention } from "./endpoint-sentences";

/** The endpoints with pending deliveries, as `GET /backlog` lists them. */
export type BacklogFacts = Readonly<{
  items: readonly Readonly<{ late: boolean; pending: number }>[];
  /** False if more endpoints have pending deliveries. */
  isComplete: boolean;
}>;

/** Pending deliveries of an endpoint are counted up to this many. */
const MOST_PENDING = 1_000;

/** Says whether deliveries are late. `backlog` is null if the session may not see deliveries. */
export function headlineOf(
  endpoints: readonly Pick<Endpoint, "health">[],
  backlog: BacklogFacts | null,
): string {
  const late = backlog?.items.filter((each) => each.late) ?? [];
  if (late.length > 0) return lateWords(late, backlog?.isComplete ?? false, endpoints.length > late.length);
  const failing = endpoints.filter(needsAttention).length;
  const fails = `${plural(failing, "endpoint needs", "endpoints need")} attention`;
  if (!backlog?.isComplete) return failing === 0 ? "No endpoint needs attention." : `${fails}.`;
  return failing === 0 ? "Nothing is late." : `${fails}, and nothing is late.`;
}

function lateWords(late: BacklogFacts["items"], isComplete: boolean, hasOthers: boolean): string {
  const pending = late.reduce((sum, each) => sum + each.pending, 0);
  const isExact = isComplete && late.every((each) => each.pending < MOST_PENDING);
  const where = `${isComplete ? "" : "At least "}${plural(late.length, "endpoint is", "endpoints are")} late`;
  const waits = `${isExact ? "" : "at least "}${plural(pending, "delivery waits", "deliveries wait")} there`;
  return `${where}: ${waits}.${isComplete && hasOthers ? " All others are on time." : ""}`;
}

/** Says how many of all accounts' endpoints need attention. Not all were read if the list is not complete. */
export function attentionWords(
  troubled: readonly Readonly<{ account_id: string }>[],
  isComplete: boolean,
): string {
  if (troubled.length === 0) return "No endpoint needs attention.";
  const accounts = new Set(troubled.map(({ account_id }) => account_id)).size;
  const where = `${plural(troubled.length, "endpoint", "endpoints")} of ${plural(accounts, "account", "accounts")}`;
  return `${isComplete ? "" : "At least "}${where} ${troubled.length === 1 ? "needs" : "need"} attention.`;
}

/** Says how many endpoints are in which state. */
export function healthWords(endpoints: readonly Pick<Endpoint, "health">[]): string {
  const healthy = endpoints.filter(({ health }) => health.state === "healthy").length;
  const paused = endpoints.filter(({ health }) => health.state === "paused").length;
  const sentence = `${healthy} of ${plural(endpoints.length, "endpoint", "endpoints")} ${healthy === 1 ? "is" : "are"} healthy.`;
  return paused === 0 ? sentence : `${sentence} ${paused} ${paused === 1 ? "is" : "are"} paused.`;
}
