import type { Static, TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { problemIn } from "../../runtime/text/plain-text";
import { describeMisfit } from "../edge/expectation";
import { badRequest } from "../errors";
import { type JsonObject, knownFields } from "./json-text";
import type { RequestBody } from "./request-body";

/** Reads a request body by its model. */
export type BodyReader<T> = (body: RequestBody) => T;

export type BodyReaderOptions = {
  /** Fields whose inner texts are not checked. */
  untouched?: readonly string[];
};

/** Makes a reader for bodies of a model. It throws a 400 that names the invalid field. */
export function bodyReader<T extends TObject>(
  model: T,
  { untouched = [] }: BodyReaderOptions = {},
): BodyReader<Static<T>> {
  const check = TypeCompiler.Compile(model);
  return (body) => {
    const json = knownFields(body, model);
    const fields = checked(check, json);
    refuseBadText(json, untouched);
    return fields;
  };
}

function checked<T extends TObject>(check: TypeCheck<T>, body: unknown): Static<T> {
  if (check.Check(body)) return body;
  const misfit = check.Errors(body).First();
  throw badRequest(misfit ? describeMisfit(misfit) : "The request body is not valid");
}

function refuseBadText(body: JsonObject, untouched: readonly string[]): void {
  const inspected = Object.entries(body).filter(([name]) => !untouched.includes(name));
  const problem = problemIn(Object.fromEntries(inspected), "");
  if (problem) throw badRequest(problem);
}
