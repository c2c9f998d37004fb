import { _, Ajv, type CodeKeywordDefinition, type Options, str, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020";
import type { JsonSchema } from "../../domain/json-schema";
import { FORMATS } from "./format";
import type { Patterns } from "./patterns";
import { isTracking } from "./schema-keywords";
import { SchemaProblem } from "./schema-problem";

const DRAFTS = new Map([
  ["https://json-schema.org/draft/2020-12/schema", Ajv2020],
  ["http://json-schema.org/draft-07/schema", Ajv],
]);
const DEFAULT_DRAFT = Ajv2020;

export const KNOWN_DRAFTS = [...DRAFTS.keys()];

export type Draft = typeof Ajv | typeof Ajv2020;

/** Largest weight of a compiled schema, in bytes. Compiling it takes about 30 ms, during which nothing else runs. */
export const MAX_SCHEMA_WEIGHT = 4 * 1024 * 1024;

// Memory of parts of a compiled schema in bytes, measured with many kinds of schemas.
const OWN_BYTES = 20_000;
const BYTES_PER_JSON_CHARACTER = 25;
const BYTES_PER_CODE_CHARACTER = 12;
const BYTES_PER_PATTERN_SIZE = 60;

export type CompiledSchema = {
  check: ValidateFunction;
  /** Estimated memory of the compiled schema, in bytes. */
  weight: number;
};

/** Returns null for an unknown draft. */
export function draftOf({ $schema }: JsonSchema): Draft | null {
  if ($schema === undefined) return DEFAULT_DRAFT;
  if (typeof $schema !== "string") return null;
  return DRAFTS.get($schema.replace(/#$/, "")) ?? null;
}

// Replaces Ajv's own check, which refuses 19.99 as a multiple of 0.01. All uses call one function, because a function for each
// would take quadratic time.
const MULTIPLE_OF: CodeKeywordDefinition = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  code(context) {
    const isMultipleOf = context.gen.scopeValue("func", { ref: isMultiple });
    context.pass(_`${isMultipleOf}(${context.data}, ${context.schemaCode})`);
  },
  error: {
    message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
    params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
  },
};

/**
 * Compiles a schema in an Ajv instance of its own. An instance keeps everything that it compiled, and names would collide with
 * other accounts' names. Throws if Ajv can't compile it, and `SchemaProblem` if it weighs too much.
 */
export function compile({ $schema, $id, ...schema }: JsonSchema, patterns: Patterns): CompiledSchema {
  const Draft = draftOf({ $schema }) ?? DEFAULT_DRAFT;
  let weight =
    OWN_BYTES +
    BYTES_PER_JSON_CHARACTER * JSON.stringify(schema).length +
    BYTES_PER_PATTERN_SIZE * patterns.size;
  // Checks the weight before the runtime parses the code, which would take the same time again.
  const process = (code: string) => {
    weight += BYTES_PER_CODE_CHARACTER * code.length;
    if (weight > MAX_SCHEMA_WEIGHT)
      throw new SchemaProblem("is too large: its compiled form takes more than 4 MiB");
    return code;
  };
  const ajv = new Draft(optionsFor(patterns, process));
  // Tracks properties only if a keyword needs that, since it takes quadratic time in their number.
  ajv.opts.unevaluated &&= isTracking(schema);
  const check = ajv.removeKeyword("multipleOf").addKeyword(MULTIPLE_OF).compile(schema);
  return { check, weight };
}

function optionsFor(patterns: Patterns, process: (code: string) => string): Options {
  const regExp = Object.assign((source: string) => patterns.compile(source), { code: "compilePattern" });
  return {
    meta: false,
    strict: false,
    allErrors: false,
    validateSchema: false,
    logger: false,
    // Ignores inherited properties, such as `constructor`, which are not in the data.
    ownProperties: true,
    formats: FORMATS,
    // Longer lists become loops, because inline code for them takes quadratic time.
    loopRequired: 32,
    loopEnum: 64,
    // Ajv's optimizer takes quadratic time in the size of the code: 1 s for 900 branches of `oneOf`.
    code: { regExp, optimize: false, process },
  };
}

/** Relative error of a quotient of two decimals. Both numbers and the quotient are rounded to doubles. */
const TOLERANCE = 2 * Number.EPSILON;

/** True if one decimal is a whole multiple of another. Exact for whole numbers. */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isInteger(divisor)) return value % divisor === 0;
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= TOLERANCE * Math.abs(quotient);
}
