import type { Static, TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { JsonObject } from "../../domain/json-schema";
import { linesProblem, problemIn } from "../../runtime/text/plain-text";
import { describeMisfit } from "../edge/expectation";
import { badRequest } from "../errors";
import { allowsLines } from "../openapi/schema";
import { knownFields } from "./json-text";
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
  const withLines = Object.keys(model.properties).filter((name) => {
    const field = model.properties[name];
    return field !== undefined && allowsLines(field);
  });
  return (body) => {
    const json = knownFields(body, model);
    const fields = checked(check, json);
    refuseBadText(json, untouched, withLines);
    return fields;
  };
}

function checked<T extends TObject>(check: TypeCheck<T>, body: unknown): Static<T> {
  if (check.Check(body)) return body;
  const misfit = check.Errors(body).First();
  throw badRequest(misfit ? describeMisfit(misfit) : "The request body is not valid");
}

function refuseBadText(body: JsonObject, untouched: readonly string[], withLines: readonly string[]): void {
  for (const [name, value] of Object.entries(body)) {
    if (untouched.includes(name)) continue;
    const problem =
      typeof value === "string" && withLines.includes(name)
        ? problemAfter(name, linesProblem(value))
        : problemIn(value, name);
    if (problem) throw badRequest(problem);
  }
}

function problemAfter(name: string, problem: string | null): string | null {
  return problem && `${name} ${problem}`;
}
