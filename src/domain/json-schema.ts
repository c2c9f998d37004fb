/** A JSON Schema that passed `checkSchema`. */
export type JsonSchema = Record<string, unknown>;

/** A JSON object with any fields. */
export type JsonObject = { [name: string]: unknown };
