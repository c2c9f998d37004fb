import type { JsonSchema } from "../../domain/json-schema";
import { isWrittenNumber } from "../../runtime/text/exact-json";
import { JsonBudget, TooMuchJson } from "../json-budget";
import { MAX_SCHEMA_DEPTH } from "./enforcement";
import type { Cost } from "./schema-cost";
import { SchemaProblem, TooLarge } from "./schema-problem";
import { SchemaWalk } from "./schema-walk";

/** Most bytes of a schema's JSON text. */
export const MAX_SCHEMA_BYTES = 131_072;
/** Most values of a schema that validating a document may read, including the targets of references. */
export const MAX_SCHEMA_NODES = 3_000;
/** Most values that are read again for each item or property of a document. */
export const MAX_REPEATED_NODES = 1_000;
/** Most characters of a number of a schema. A long one takes long to divide by. */
export const MAX_NUMBER_LENGTH = 1_024;
/** Limits of a schema as a JSON value. The depth is the one of values such as in an `enum`. */
export const SCHEMA_SIZE = { bytes: MAX_SCHEMA_BYTES, depth: 64 };

/** Returns the problem of a schema that is far too large or deep, before it is given to a thread; null if it is not. */
export function sizeProblem(schema: unknown): string | null {
  try {
    new JsonBudget(SCHEMA_SIZE).copy(schema);
    return null;
  } catch (error) {
    if (error instanceof TooMuchJson) return error.message;
    throw error;
  }
}

/** Throws `SchemaProblem` if a schema can't be stored, or is too large or deep to read. Does not check that it makes sense. */
export function checkStorable(schema: unknown): void {
  checkJson(schema, 0);
  const bytes = Buffer.byteLength(JSON.stringify(schema) ?? "");
  if (bytes > MAX_SCHEMA_BYTES) throw new SchemaProblem(`must have at most ${MAX_SCHEMA_BYTES} bytes`);
}

/** Computes the cost of a schema's enforced part. Throws `TooLarge` if it is too high, or the nodes are more than `most`. */
export function checkedCost(schema: JsonSchema, most = MAX_SCHEMA_NODES): Cost {
  const cost = new SchemaWalk(schema).cost();
  const { nodes, repeated, height } = cost;
  if (height > MAX_SCHEMA_DEPTH) throw new TooLarge(`is nested deeper than ${MAX_SCHEMA_DEPTH} schemas`);
  if (nodes > Math.min(most, MAX_SCHEMA_NODES)) {
    throw new TooLarge(`is too large: more than ${MAX_SCHEMA_NODES} values with the targets of references`);
  }
  if (repeated > MAX_REPEATED_NODES) {
    throw new TooLarge(`has too much for each item or property: more than ${MAX_REPEATED_NODES} values`);
  }
  return cost;
}

/** Refuses values that must not be stored in Postgres or in an object. */
function checkJson(value: unknown, depth: number): void {
  if (depth > SCHEMA_SIZE.depth)
    throw new SchemaProblem(`is nested deeper than ${SCHEMA_SIZE.depth} JSON values`);
  if (typeof value === "string") checkText(value);
  if (typeof value === "number") checkNumber(String(value));
  if (isWrittenNumber(value)) checkNumber(value.rawJSON);
  else if (value !== null && typeof value === "object") checkParts(value, depth);
}

function checkParts(value: object, depth: number): void {
  for (const [key, part] of Object.entries(value)) {
    checkText(key);
    if (key === "__proto__") throw new SchemaProblem("must not name a property __proto__");
    checkJson(part, depth + 1);
  }
}

function checkNumber(text: string): void {
  if (!Number.isFinite(Number(text))) throw new SchemaProblem("has a number that is too large");
  if (text.length > MAX_NUMBER_LENGTH)
    throw new SchemaProblem(`has a number of more than ${MAX_NUMBER_LENGTH} characters`);
}

function checkText(text: string): void {
  if (text.includes("\0") || !text.isWellFormed())
    throw new SchemaProblem("has text that is not valid Unicode");
}
