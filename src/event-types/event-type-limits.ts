/** Most described types, which are exported as one document. */
export const DESCRIBED = { most: 1_000, kind: "described event types" };

/** Most types with a schema. Their names are cached, since nearly every send needs them. */
export const SCHEMAS = { most: 500, kind: "event types with a schema" };

/** Most schemas of an event type that are kept, including the current one. */
export const MAX_VERSIONS = 20;
