/** A JSON Schema that passed `schemaProblem`. */
export type JsonSchema = Record<string, unknown>;
