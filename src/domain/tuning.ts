/** The deliveries that keep their order: all of the endpoint, those with the same ordering key, or none. */
export const ORDERINGS = ["ordered", "by_key", "unordered"] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** Events for an inactive endpoint wait for it, or make no delivery. */
export const WHILE_INACTIVE = ["hold", "skip"] as const;
export type WhileInactive = (typeof WHILE_INACTIVE)[number];

/** The forms of a message for people. */
export const MESSAGE_FORMATS = ["slack", "teams", "email"] as const;
export type MessageFormat = (typeof MESSAGE_FORMATS)[number];

/** The form of the body: the payload alone, in the envelope of Standard Webhooks, as a CloudEvent, or as a message. */
export const BODY_FORMATS = [
  "payload",
  "envelope",
  "cloudevents",
  "cloudevents_binary",
  ...MESSAGE_FORMATS,
] as const;
export type BodyFormat = (typeof BODY_FORMATS)[number];

/** When a delivery has used up its schedule: it fails and the next one follows, or the endpoint stops at it. */
export const ON_EXHAUSTED = ["skip", "pause"] as const;
export type OnExhausted = (typeof ON_EXHAUSTED)[number];

export const JSON_TYPE = "application/json";
/** JSON, or a kind of it with a structured syntax suffix (RFC 6839, 3.1). */
export const CONTENT_TYPE = "^application/(json|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*\\+json)$";

/** Headers by lower-case name; secret values are sealed. */
export type StoredHeaders = Readonly<Record<string, { value: string } | { sealed: string }>>;
/** A replaced secret. It signs beside the newer ones until `until`, Unix milliseconds. */
export type EarlierSecret = Readonly<{ sealed: string; until: number }>;
