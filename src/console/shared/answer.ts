import type { Attempt } from "../../client/types";
import { FORGERY_ACCEPTED } from "../../domain/test-event";
import { partTexts } from "./texts";

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  423: "Locked",
  425: "Too Early",
  426: "Upgrade Required",
  429: "Too Many Requests",
  431: "Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  520: "Unknown Error",
  521: "Server Is Down",
  522: "Connection Timed Out",
  524: "A Timeout Occurred",
};

export function reasonOf(status: number): string {
  return REASONS[status] ?? "";
}

export function errorWords(error: string): string {
  return partTexts.value.errors[error] ?? error.replaceAll("_", " ");
}

/** An answer in one or two words: `503 Service Unavailable`, `connection refused`. */
export function answerOf({ status, error }: Pick<Attempt, "status" | "error">): string {
  if (status === 0) return error === null ? partTexts.value.noAnswer : errorWords(error);
  const reason = reasonOf(status);
  return reason ? `${status} ${reason}` : String(status);
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether the receiver accepted a signature that was wrong on purpose. Its 2xx is then a mistake. */
export function acceptsForgery({ error }: Pick<Attempt, "error">): boolean {
  return error === FORGERY_ACCEPTED;
}

/** Whether the receiver did what it should with the attempt. */
export function isGood(attempt: Pick<Attempt, "status" | "error">): boolean {
  return isSuccess(attempt.status) && !acceptsForgery(attempt);
}
