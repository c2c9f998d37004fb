import { _, Ajv, type CodeKeywordDefinition, type Options, str, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020";
import { FORMATS } from "./format";
import { isMultiple } from "./multiple";
import type { Patterns } from "./patterns";
import { Flaw } from "./schema-flaw";
import { isTracking } from "./schema-keywords";

/** A JSON Schema that `schemaFlaw` found nothing wrong with. */
export type JsonSchema = Record<string, unknown>;

const DRAFTS = new Map([
  ["https://json-schema.org/draft/2020-12/schema", Ajv2020],
  ["http://json-schema.org/draft-07/schema", Ajv],
]);
const DEFAULT_DRAFT = Ajv2020;

export const KNOWN_DRAFTS = [...DRAFTS.keys()];

export type Draft = typeof Ajv | typeof Ajv2020;

/** What a compiled schema may weigh, in bytes: some 30 ms of compiling, in which nothing else is done. */
export const MAX_SCHEMA_WEIGHT = 4 * 1024 * 1024;

// What keeping a compiled schema takes, in bytes, measured over many kinds of them.
const OWN_BYTES = 20_000;
const BYTES_PER_JSON_CHARACTER = 25;
const BYTES_PER_CODE_CHARACTER = 12;
const BYTES_PER_PATTERN_SIZE = 60;

export type CompiledSchema = {
  check: ValidateFunction;
  /** What keeping it takes, about, in bytes. */
  weight: number;
};

/** Null for a draft that is not known. */
export function draftOf({ $schema }: JsonSchema): Draft | null {
  if ($schema === undefined) return DEFAULT_DRAFT;
  if (typeof $schema !== "string") return null;
  return DRAFTS.get($schema.replace(/#$/, "")) ?? null;
}

// Ajv's own refuses 19.99 for a multiple of 0.01. All call one function: one for each would take time by the square.
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
 * Throws when Ajv can't, and `Flaw` for a schema that weighs too much. Each schema has an instance of its own: instances keep what they compiled for good, and names
 * in them would meet those of other accounts.
 */
export function compile({ $schema, $id, ...schema }: JsonSchema, patterns: Patterns): CompiledSchema {
  const Draft = draftOf({ $schema }) ?? DEFAULT_DRAFT;
  let weight =
    OWN_BYTES +
    BYTES_PER_JSON_CHARACTER * JSON.stringify(schema).length +
    BYTES_PER_PATTERN_SIZE * patterns.size;
  // Before the runtime reads the code, which takes as long again.
  const process = (code: string) => {
    weight += BYTES_PER_CODE_CHARACTER * code.length;
    if (weight > MAX_SCHEMA_WEIGHT)
      throw new Flaw("is too large: what it is compiled to takes more than 4 MiB");
    return code;
  };
  const ajv = new Draft(optionsFor(patterns, process));
  // Keeping track of what no keyword asks for takes time by the square of the properties.
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
    // What every object inherits, such as `constructor`, is not in the data.
    ownProperties: true,
    formats: FORMATS,
    // Longer lists are gone through rather than written out, which takes time by the square of their length.
    loopRequired: 32,
    loopEnum: 64,
    // Ajv's optimizer takes time by the square of the code: a second for 900 branches of `oneOf`.
    code: { regExp, optimize: false, process },
  };
}
