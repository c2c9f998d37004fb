import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019";
import { Ajv2020 } from "ajv/dist/2020";
import type { JsonSchema } from "../../domain/json-schema";
import { messageOf } from "../../runtime/errors";
import { shownName } from "../../runtime/text/plain-text";
import { FORMATS } from "./format";
import { NumberChecks } from "./number-checks";
import { numberKeywords } from "./number-keywords";
import type { Patterns } from "./patterns";
import { isTracking } from "./schema-keywords";
import { SchemaProblem, TooLarge } from "./schema-problem";

export type Draft = typeof Ajv | typeof Ajv2019 | typeof Ajv2020;

const DEFAULT_DRAFT = "https://json-schema.org/draft/2020-12/schema";
/** Drafts 4 and 6 are subsets of draft 7, apart from the bounds of numbers, which are rewritten. */
const DRAFTS: ReadonlyMap<string, Draft> = new Map<string, Draft>([
  [DEFAULT_DRAFT, Ajv2020],
  ["https://json-schema.org/draft/2019-09/schema", Ajv2019],
  ["http://json-schema.org/draft-07/schema", Ajv],
  ["http://json-schema.org/draft-06/schema", Ajv],
  ["http://json-schema.org/draft-04/schema", Ajv],
]);

/** Largest weight of a compiled schema, in bytes. Compiling it takes about 30 ms, during which nothing else runs. */
export const MAX_SCHEMA_WEIGHT = 4 * 1024 * 1024;

// Memory of parts of a compiled schema in bytes, measured with many kinds of schemas.
const OWN_BYTES = 20_000;
const BYTES_PER_JSON_CHARACTER = 25;
const BYTES_PER_CODE_CHARACTER = 12;
const BYTES_PER_PATTERN_SIZE = 60;

export type CompiledSchema = {
  check: ValidateFunction;
  /** Compares the numbers of the payload that is being checked. */
  numbers: NumberChecks;
  /** Estimated memory of the compiled schema, in bytes. */
  weight: number;
};

/** Returns the draft of a schema; 2020-12 for an unknown one, with a warning. */
export function draftOf({ $schema }: JsonSchema): Readonly<{ draft: Draft; warnings: readonly string[] }> {
  const known = typeof $schema === "string" ? DRAFTS.get($schema.replace(/#$/, "")) : undefined;
  if (known !== undefined) return { draft: known, warnings: [] };
  const warning = `schema names the draft ${shownName(String($schema))}, which is not known, and is read as draft 2020-12`;
  return { draft: Ajv2020, warnings: $schema === undefined ? [] : [warning] };
}

/**
 * Compiles the enforced part of a schema in an Ajv instance of its own. An instance keeps everything that it compiled, and names would collide with
 * other accounts' names. Throws `SchemaProblem` if Ajv can't compile it, and `TooLarge` if it weighs too much.
 */
export function compile(schema: JsonSchema, Draft: Draft, patterns: Patterns): CompiledSchema {
  let weight =
    OWN_BYTES +
    BYTES_PER_JSON_CHARACTER * JSON.stringify(schema).length +
    BYTES_PER_PATTERN_SIZE * patterns.size;
  // Checks the weight before the runtime parses the code, which would take the same time again.
  const process = (code: string) => {
    weight += BYTES_PER_CODE_CHARACTER * code.length;
    if (weight > MAX_SCHEMA_WEIGHT)
      throw new TooLarge("is too large: its compiled form takes more than 4 MiB");
    return code;
  };
  const ajv = new Draft(optionsFor(patterns, process));
  // Tracks properties only if a keyword needs that, since it takes quadratic time in their number.
  ajv.opts.unevaluated &&= isTracking(schema);
  const numbers = new NumberChecks(patterns.steps);
  for (const definition of numberKeywords(numbers)) {
    for (const keyword of [definition.keyword].flat()) ajv.removeKeyword(keyword);
    ajv.addKeyword(definition);
  }
  const check = orProblem(() => ajv.compile(schema));
  return { check, numbers, weight };
}

function orProblem<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SchemaProblem) throw error;
    throw new SchemaProblem(`can't be used: ${messageOf(error)}`);
  }
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
    // Numbers beyond 1.8e308 are infinite as doubles.
    strictNumbers: false,
    formats: FORMATS,
    // Longer lists become loops, because inline code for them takes quadratic time.
    loopRequired: 32,
    loopEnum: 64,
    // Ajv's optimizer takes quadratic time in the size of the code: 1 s for 900 branches of `oneOf`.
    code: { regExp, optimize: false, process },
  };
}
