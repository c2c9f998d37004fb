import { _, Ajv, type FuncKeywordDefinition, type Options, str, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020";
import { FORMATS } from "./format";
import { isMultiple } from "./multiple";
import type { Patterns } from "./patterns";

/** A JSON Schema that `schemaFlaw` found nothing wrong with. */
export type JsonSchema = Record<string, unknown>;

const DRAFTS = new Map([
  ["https://json-schema.org/draft/2020-12/schema", Ajv2020],
  ["http://json-schema.org/draft-07/schema", Ajv],
]);
const DEFAULT_DRAFT = Ajv2020;

export const KNOWN_DRAFTS = [...DRAFTS.keys()];

export type Draft = typeof Ajv | typeof Ajv2020;

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

// Ajv's own refuses 19.99 for a multiple of 0.01.
const MULTIPLE_OF: FuncKeywordDefinition = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  compile: (divisor: number) => (value: number) => isMultiple(value, divisor),
  error: {
    message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
    params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
  },
};

/**
 * Throws when Ajv can't. Each schema has an instance of its own: instances keep what they compiled for good, and names
 * in them would meet those of other accounts.
 */
export function compile({ $schema, $id, ...schema }: JsonSchema, patterns: Patterns): CompiledSchema {
  const Draft = draftOf({ $schema }) ?? DEFAULT_DRAFT;
  let codeLength = 0;
  const process = (code: string) => {
    codeLength += code.length;
    return code;
  };
  const ajv = new Draft(optionsFor(patterns, process));
  const check = ajv.removeKeyword("multipleOf").addKeyword(MULTIPLE_OF).compile(schema);
  const weight =
    OWN_BYTES +
    BYTES_PER_JSON_CHARACTER * JSON.stringify(schema).length +
    BYTES_PER_CODE_CHARACTER * codeLength +
    BYTES_PER_PATTERN_SIZE * patterns.size;
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
    // Ajv's optimizer takes time by the square of the code: a second for 900 branches of `oneOf`.
    code: { regExp, optimize: false, process },
  };
}
