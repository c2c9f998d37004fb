/** A JSON Schema that passed `checkSchema`. */
export type JsonSchema = Record<string, unknown>;
