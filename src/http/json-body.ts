import type { Static, TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { flawIn } from "../runtime/plain-text";
import { readBody } from "./body";
import { badRequest } from "./errors";
import { describeMisfit } from "./expectation";
import { decodeText, type JsonObject, parseJsonObject, saysJson } from "./json-text";

/** A request body as its model describes it. Fields the model does not know are ignored. */
export type BodyReader<T> = (bytes: Uint8Array) => T;

export type BodyReaderOptions = {
  /** Fields whose texts are not looked at. */
  untouched?: readonly string[];
};

/** A reader for bodies of a model; it throws 400 and names the property that is wrong. */
export function bodyReader<T extends TObject>(
  model: T,
  { untouched = [] }: BodyReaderOptions = {},
): BodyReader<Static<T>> {
  const check = TypeCompiler.Compile(model);
  const known = Object.keys(model.properties);
  const inspected = known.filter((name) => !untouched.includes(name));
  return (bytes) => {
    const json = parseJsonObject(decodeText(bytes));
    const body = checked(check, pick(json, known));
    refuseBadText(pick(json, inspected));
    return body;
  };
}

/** The bytes of a request that says it is JSON, or has none. What is too large is that, of whatever type. */
export function readJsonBytes(request: Request): Promise<Uint8Array> {
  const body = readBody(request);
  return saysJson(request) ? body : body.then(refuseUnlessEmpty);
}

function refuseUnlessEmpty(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 0) throw badRequest("Content-Type must be application/json");
  return bytes;
}

function pick(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

function checked<T extends TObject>(check: TypeCheck<T>, body: unknown): Static<T> {
  if (check.Check(body)) return body;
  const misfit = check.Errors(body).First();
  throw badRequest(misfit ? describeMisfit(misfit) : "The request body is not valid");
}

function refuseBadText(body: JsonObject): void {
  const flaw = flawIn(body, "");
  if (flaw) throw badRequest(flaw);
}
