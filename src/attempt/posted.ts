import type { Sent } from "./connections/connection";
import type { ErrorDetail } from "./error-detail";
import type { ExchangeTrace, SentRequest } from "./exchange";
import { type Failure, failureOf, ProxyFailure } from "./failure";
import type { AnswerReader } from "./http1/answer-reader";
import { OwnFailure, orOwnFailure, type Shortage } from "./own-failure";

/** The end of one POST, with or without a connection. */
export type Posted = Sent &
  Readonly<{
    reader: AnswerReader;
    trace: ExchangeTrace;
    /** Null if nothing was written. */
    request: SentRequest | null;
    /** `reused`: the connection was idle before. `none`: there was none. */
    connection: "none" | "fresh" | "reused";
  }>;

/**
 * True if an idle connection was dead: it ended before the first byte of an answer, or brought bytes that begin no answer.
 * As a rule the receiver closed it while the request was under way, and has not read the request.
 */
export function isOfStaleConnection({ connection, reader, error }: Posted): boolean {
  return connection === "reused" && error !== null && !reader.hasBegun && shortageIn(error) === null;
}

/** Returns the resource that this machine lacked, if that is why there is no answer. */
export function shortageOf({ reader, error }: Posted): Shortage | null {
  return reader.status > 0 ? null : shortageIn(error);
}

function shortageIn(error: unknown): Shortage | null {
  const known = error === null ? null : orOwnFailure(error);
  return known instanceof OwnFailure ? known.shortage : null;
}

/** Returns why the answer is incomplete; null if it is complete. */
export function failureIn({ error, connection }: Posted, isCut: boolean): Failure | null {
  if (error === null) return null;
  if (!isCut || error instanceof ProxyFailure) return failureOf(error);
  return { error: "timeout", detail: connection === "none" ? "not_connected" : "no_response" };
}

/** Returns which part of an exchange is missing after the head of its answer. */
export function detailOfAnswer({ reader, isWritten }: Posted, { error }: Failure): ErrorDetail | null {
  if (reader.isSuccess && !isWritten) return "request_not_taken";
  return error === "timeout" || error === "connection_reset" ? "answer_cut_short" : null;
}
