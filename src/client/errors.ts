import type { ErrorCode } from "./types.ts";

/** The service refused a request, or failed at it. */
export class HermodError extends Error {
  override readonly name = "HermodError";

  constructor(
    /** Of HTTP. */
    readonly status: number,
    /** To branch on; null when the answer was not the service's, but a proxy's for instance. */
    readonly code: ErrorCode | null,
    message: string,
    /** What the answer's `x-request-id` says, to be found in logs by: of a 500, or from a gateway; null without one. */
    readonly requestId: string | null,
    /** How long it asks to wait, seconds; null when it does not say. */
    readonly retryAfter: number | null,
  ) {
    super(message);
  }
}

/** There was no answer: the service can't be reached, or took longer than the timeout. */
export class HermodUnreachable extends Error {
  override readonly name = "HermodUnreachable";
}

/** The error that an answer stands for. */
export function errorOf({ status, headers }: Response, text: string): HermodError {
  const { code, message } = detailIn(text) ?? { code: null, message: `The answer was HTTP ${status}` };
  return new HermodError(status, code, message, headers.get("x-request-id"), retryAfterOf(headers));
}

type Detail = { code: ErrorCode; message: string };

function detailIn(text: string): Detail | null {
  try {
    const detail: Partial<Detail> | undefined = JSON.parse(text)?.error;
    if (typeof detail?.code !== "string" || typeof detail.message !== "string") return null;
    return { code: detail.code, message: detail.message };
  } catch {
    return null;
  }
}

// RFC 9110, 10.2.3: seconds, or a date, which proxies prefer.
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
