import type { AttemptRecord, Outcome } from "../../src/domain/outcome";

export type OutcomeGiven = Omit<Outcome, "attempt" | "restMs" | "acceptedAt"> &
  Partial<Pick<Outcome, "restMs" | "acceptedAt">> & {
    attempt: Pick<AttemptRecord, "status"> & Partial<AttemptRecord>;
  };

/** Returns an outcome whose attempt took a millisecond, had no error and ended when the delivery was accepted, unless given otherwise. */
export function outcomeWith({ attempt: given, ...rest }: OutcomeGiven): Outcome {
  const attempt: AttemptRecord = {
    error: null,
    errorDetail: null,
    location: null,
    startedAt: 0,
    durationMs: 1,
    responseBody: null,
    exchange: null,
    ...given,
  };
  return { restMs: null, acceptedAt: attempt.startedAt + attempt.durationMs, ...rest, attempt };
}
