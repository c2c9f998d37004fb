import type { Sent } from "./connections/connection";
import type { ErrorDetail } from "./error-detail";
import type { ExchangeTrace, SentRequest } from "./exchange";
import { type Failure, failureOf, ProxyFailure } from "./failure";
import type { AnswerReader } from "./http1/answer-reader";
import { OwnFailure, orOwnFailure, type Shortage } from "./own-failure";

/** A request that was sent on a connection, or found none. */
export type Posted = Sent &
  Readonly<{
    reader: AnswerReader;
    trace: ExchangeTrace;
    /** Null: nothing was written. */
    request: SentRequest | null;
    /** `reused`: the connection was idle before. `none`: there was none. */
    connection: "none" | "fresh" | "reused";
  }>;

/**
 * Whether an idle connection was dead: it ended before the first byte of an answer, or brought bytes that begin none. As a
 * rule the receiver closed it while the request was on its way, and has not seen the request.
 */
export function isOfStaleConnection({ connection, reader, error }: Posted): boolean {
  return connection === "reused" && error !== null && !reader.hasBegun && shortageIn(error) === null;
}

/** Returns what this machine lacked, if that is why there is no answer. */
export function shortageOf({ reader, error }: Posted): Shortage | null {
  return reader.status > 0 ? null : shortageIn(error);
}

function shortageIn(error: unknown): Shortage | null {
  const known = error === null ? null : orOwnFailure(error);
  return known instanceof OwnFailure ? known.shortage : null;
}

/** Says why the answer is not whole; null if it is. */
export function failureIn({ error, connection }: Posted, isCut: boolean): Failure | null {
  if (error === null) return null;
  if (!isCut || error instanceof ProxyFailure) return failureOf(error);
  return { error: "timeout", detail: connection === "none" ? "not_connected" : "no_response" };
}

/** Says what is missing of an exchange whose answer has a head. */
export function detailOfAnswer({ reader, isWritten }: Posted, { error }: Failure): ErrorDetail | null {
  if (reader.isSuccess && !isWritten) return "request_not_taken";
  return error === "timeout" || error === "connection_reset" ? "answer_cut_short" : null;
}
