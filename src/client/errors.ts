import type { ErrorCode } from "./types.ts";

/** The service refused a request, or failed. */
export class HermodError extends Error {
  override readonly name = "HermodError";

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The error's code; null if the answer came from another server, such as a proxy. */
    readonly code: ErrorCode | null,
    message: string,
    /**
     * The answer's `x-request-id`, by which logs show the request. Null if the answer came from another server, such as a proxy.
     */
    readonly requestId: string | null,
    /** The seconds to wait before the next try; null if the service names none. */
    readonly retryAfter: number | null,
  ) {
    super(message);
  }
}

/** No answer: the service is unreachable, or took longer than the timeout. */
export class HermodUnreachable extends Error {
  override readonly name = "HermodUnreachable";
}

/** Builds the error of an answer. */
export function errorOf({ status, headers }: Response, text: string): HermodError {
  const { code, message } = detailIn(text) ?? { code: null, message: `The answer was HTTP ${status}` };
  return new HermodError(status, code, message, headers.get("x-request-id"), retryAfterOf(headers));
}

type ErrorAnswer = { code: ErrorCode; message: string };

function detailIn(text: string): ErrorAnswer | null {
  try {
    const detail: Partial<ErrorAnswer> | undefined = JSON.parse(text)?.error;
    if (typeof detail?.code !== "string" || typeof detail.message !== "string") return null;
    return { code: detail.code, message: detail.message };
  } catch {
    return null;
  }
}

// Reads seconds or, as proxies often write, a date (RFC 9110, 10.2.3).
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
