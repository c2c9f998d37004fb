import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020";
import { type DataSize, isLarger } from "./data-size";
import { FORMATS } from "./format";
import { compilePattern, type StepBudget, StepsExhausted } from "./pattern";
import type { Cost } from "./schema-cost";
import { checkedCost, limitFlaw } from "./schema-limits";

/** A JSON Schema that `schemaFlaw` found nothing wrong with. */
export type JsonSchema = Record<string, unknown>;

/** Judges payloads. */
export type PayloadSchema = {
  /** Null for data that matches, else what does not and where, e.g. `data.amount must be >= 0`. */
  validate(data: unknown): string | null;
};

/** Steps that a payload may take through the patterns of its schema: about a tenth of a second. */
const PATTERN_STEPS = 5_000_000;
/** A payload's values times what its schema looks at for each of them: about a tenth of a second. */
const MAX_COMPARISONS = 10_000_000;
/** A payload's characters times how often its schema counts them: the same. */
const MAX_COUNTED_CHARACTERS = 50_000_000;

const DRAFTS = new Map([
  ["https://json-schema.org/draft/2020-12/schema", Ajv2020],
  ["http://json-schema.org/draft-07/schema", Ajv],
]);
const DEFAULT_DRAFT = Ajv2020;

type Draft = typeof Ajv | typeof Ajv2020;

// They know the drafts' own schemas, by which ours are judged.
const judges = new Map<Draft, InstanceType<Draft>>();

/** What keeps a value from being used as a schema, to go after its name; null is nothing. */
export function schemaFlaw(value: unknown): string | null {
  const flaw = limitFlaw(value);
  if (flaw !== null) return flaw;
  const schema = value as JsonSchema;
  const draft = draftOf(schema);
  if (draft === null) return `has an unknown $schema; known are ${[...DRAFTS.keys()].join(", ")}`;
  const judge = judgeOf(draft);
  if (!judge.validateSchema({ ...schema, $schema: undefined })) return describeSchemaError(judge.errors?.[0]);
  try {
    compile(schema, { left: 0 });
    return null;
  } catch (error) {
    return `can't be used: ${(error as Error).message}`;
  }
}

/** Makes a checked schema ready for use, which takes milliseconds. Throws when it has a flaw after all. */
export function compileSchema(schema: JsonSchema): PayloadSchema {
  const budget: StepBudget = { left: 0 };
  const check = compile(schema, budget);
  const most = largestData(checkedCost(schema));
  return {
    validate(data) {
      if (isLarger(data, most)) return "data is too large for its event type's schema";
      budget.left = PATTERN_STEPS;
      try {
        return check(data) ? null : describeDataError(check.errors?.[0]);
      } catch (error) {
        return describeFailure(error);
      }
    },
  };
}

/** What can be judged in a time that other requests can wait. */
function largestData({ repeated, lengths }: Cost): DataSize {
  return { values: MAX_COMPARISONS / repeated, characters: MAX_COUNTED_CHARACTERS / lengths };
}

// An instance of its own for each schema: instances keep what they compiled for good, and names in them
// would meet those of other accounts.
function compile({ $schema, $id, ...schema }: JsonSchema, budget: StepBudget): ValidateFunction {
  const Draft = draftOf({ $schema }) ?? DEFAULT_DRAFT;
  const regExp = Object.assign((source: string) => compilePattern(source, budget), {
    code: "compilePattern",
  });
  const options: Options = {
    meta: false,
    strict: false,
    allErrors: false,
    validateSchema: false,
    logger: false,
    // What every object inherits, such as `constructor`, is not in the data.
    ownProperties: true,
    formats: FORMATS,
    code: { regExp },
  };
  return new Draft(options).compile(schema);
}

function draftOf({ $schema }: JsonSchema): Draft | null {
  if ($schema === undefined) return DEFAULT_DRAFT;
  if (typeof $schema !== "string") return null;
  return DRAFTS.get($schema.replace(/#$/, "")) ?? null;
}

function judgeOf(Draft: Draft): InstanceType<Draft> {
  const known = judges.get(Draft);
  if (known) return known;
  const judge = new Draft({ strict: false, validateFormats: false, logger: false });
  judges.set(Draft, judge);
  return judge;
}

function describeSchemaError(error: ErrorObject | undefined): string {
  return `is not a valid JSON Schema: ${error?.instancePath || "its root"} ${error?.message}`;
}

/** Names the property; of the data itself nothing is repeated but names. */
function describeDataError(error: ErrorObject | undefined): string {
  if (!error) return "data does not match its event type's schema";
  const place = `data${error.instancePath.split("/").map(dotted).join("")}`;
  const extra: unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty;
  return `${place} ${error.message}${typeof extra === "string" ? `: ${shortened(extra)}` : ""}`;
}

function dotted(step: string, index: number): string {
  if (index === 0) return "";
  const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
  return /^\d+$/.test(name) ? `[${name}]` : `.${shortened(name)}`;
}

const MAX_NAME_LENGTH = 100;

function shortened(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}

function describeFailure(error: unknown): string {
  if (error instanceof StepsExhausted)
    return "data takes too long to match against its event type's patterns";
  // Comparing values that are nested very deeply.
  if (error instanceof RangeError) return "data is nested too deeply for its event type's schema";
  throw error;
}
