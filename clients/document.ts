// The parts of the OpenAPI document that clients are made of.

export type Schema = Readonly<{
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  enum?: readonly (string | null)[];
  anyOf?: readonly Schema[];
  description?: string;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
  required?: readonly string[];
}>;

type Content = Readonly<{ "application/json"?: { schema: Schema } }>;

export type Parameter = Readonly<{
  name: string;
  in: string;
  schema: Schema;
  description?: string;
  required?: boolean;
}>;

export type DocumentOperation = Readonly<{
  operationId: string;
  /** The name of the method, if another than derived; null if clients have none. */
  "x-hermod-sdk"?: string | null;
  tags: readonly string[];
  summary: string;
  security?: readonly unknown[];
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: { content: Content };
  responses: Readonly<Record<string, { content?: Content }>>;
}>;

export type ApiDocument = Readonly<{
  info: { version: string };
  tags: readonly { name: string; description: string; "x-hermod-sdk"?: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}>;

/** Returns the name that a reference ends with; null if it is none. */
export function splitRef(part: object): string | null {
  return "$ref" in part && typeof part.$ref === "string" ? (part.$ref.split("/").at(-1) ?? null) : null;
}
