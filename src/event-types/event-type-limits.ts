/** Most described types, which are exported as one document. */
export const DESCRIBED = { most: 1_000, kind: "described event types" };

/** Most types with a schema. Their names are cached, since nearly every send needs them. */
export const SCHEMAS = { most: 500, kind: "event types with a schema" };

/** Most schemas of an event type that are kept, including the current one. */
export const MAX_VERSIONS = 20;

/** A page of event types ends where their schemas and examples reach this size, since they are parsed and written at once. */
export const PAGE_BYTES = 1_048_576;
