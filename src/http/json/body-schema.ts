import type { Static, TObject } from "@sinclair/typebox";
import { type BodyReaderOptions, bodyReader } from "./json-body";

/**
 * The schema of a body in Elysia's terms (https://standardschema.dev). `validate` reads the bytes, and throws a 400 that names the
 * invalid field. Elysia's own check of a TypeBox model would copy the whole body into its error.
 */
export type BodySchema<T> = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "hermod";
    validate(value: unknown): { value: T };
    readonly types?: { readonly input: unknown; readonly output: T };
  };
};

const EMPTY = new TextEncoder().encode("{}");

export function bodySchema<T extends TObject>(
  model: T,
  options: BodyReaderOptions & { isOptional?: true },
): BodySchema<Static<T>> {
  const read = bodyReader(model, options);
  const validate = (bytes: unknown) => {
    const isEmpty = options.isOptional && (bytes as Uint8Array).length === 0;
    return { value: read(isEmpty ? EMPTY : (bytes as Uint8Array)) };
  };
  return { "~standard": { version: 1, vendor: "hermod", validate } };
}
