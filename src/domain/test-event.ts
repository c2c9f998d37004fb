/** The event type of a requested test, which ignores the endpoint's filter. */
export const TEST_EVENT = "hermod.test";

/**
 * A test whose signature is wrong on purpose, to show whether a receiver verifies. The receiver gets `TEST_EVENT`, so that only the
 * signature differs. Senders must not use this type, and nothing refuses it: such an event would be signed wrongly too.
 */
export const FORGED_TEST_EVENT = "hermod.test.forged";

/** SQL: the event types of tests. */
export const TEST_EVENTS_SQL = `'${TEST_EVENT}', '${FORGED_TEST_EVENT}'`;

export function isTest(event: string | null): boolean {
  return event === TEST_EVENT || event === FORGED_TEST_EVENT;
}

export function isForgery(event: string | null): boolean {
  return event === FORGED_TEST_EVENT;
}

/** Returns the event type that receivers get. */
export function receivedEvent(event: string | null): string | null {
  return isForgery(event) ? TEST_EVENT : event;
}

/** The error of an attempt whose forged signature the receiver accepted. */
export const FORGERY_ACCEPTED = "forgery_accepted";

/** The event types of a certification's trials, which are no deliveries. The second is of no type that a receiver knows. */
export const TRIAL_EVENT = "hermod.trial";
export const UNKNOWN_TRIAL_EVENT = "hermod.trial.unknown";
