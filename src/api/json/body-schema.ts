import type { Static, TObject } from "@sinclair/typebox";
import { type BodyReaderOptions, bodyReader } from "./json-body";
import { MODELLED } from "./json-text";
import { RequestBody } from "./request-body";

/**
 * The schema of a body in Elysia's terms (https://standardschema.dev). `validate` reads the request body, and throws a 400 that names the
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

const EMPTY = RequestBody.part("{}", MODELLED);

export function bodySchema<T extends TObject>(
  model: T,
  options: BodyReaderOptions & { isOptional?: true },
): BodySchema<Static<T>> {
  const read = bodyReader(model, options);
  const validate = (body: unknown) => {
    if (!(body instanceof RequestBody)) throw new TypeError("the guard has not read the body");
    const isEmpty = options.isOptional && body.length === 0;
    return { value: read(isEmpty ? EMPTY : body) };
  };
  return { "~standard": { version: 1, vendor: "hermod", validate } };
}
