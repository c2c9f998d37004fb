import type { Exchange } from "../../src/attempt/exchange";

/** Makes an exchange without an answer, except for the given fields. */
export function exchangeWith(fields: Partial<Exchange>): Exchange {
  return {
    acknowledged: false,
    status: 0,
    error: null,
    errorDetail: null,
    location: null,
    startedAt: 0,
    durationMs: 1,
    responseBody: null,
    responseHeaders: null,
    address: null,
    timing: { lookupMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
    request: null,
    retryAfterMs: null,
    instruction: null,
    ...fields,
  };
}
