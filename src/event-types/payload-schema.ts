import type { ErrorObject } from "ajv";
import { type DataSize, isLarger } from "./data-size";
import { StepsExhausted } from "./pattern";
import { Patterns } from "./patterns";
import { compile, type Draft, draftOf, KNOWN_DRAFTS } from "./schema-compiler";
import type { Cost } from "./schema-cost";
import { checkedCost, limitFlaw } from "./schema-limits";

/** A JSON Schema that `schemaFlaw` found nothing wrong with. */
export type JsonSchema = Record<string, unknown>;

/** Judges payloads. */
export type PayloadSchema = {
  /** Null for data that matches, else what does not and where, e.g. `data.amount must be >= 0`. */
  validate(data: unknown): string | null;
  /** What keeping it takes, about, in bytes. */
  weight: number;
};

/** Steps that a payload may take through the patterns of its schema: about a tenth of a second. */
const PATTERN_STEPS = 5_000_000;
/** A payload's values times what its schema looks at for each of them: about a tenth of a second. */
const MAX_COMPARISONS = 10_000_000;
/** A payload's characters times how often its schema counts them: the same. */
const MAX_COUNTED_CHARACTERS = 50_000_000;

// They know the drafts' own schemas, by which ours are judged.
const judges = new Map<Draft, InstanceType<Draft>>();

/** What keeps a value from being used as a schema, to go after its name; null is nothing. */
export function schemaFlaw(value: unknown): string | null {
  const patterns = new Patterns();
  const flaw = limitFlaw(value, patterns);
  if (flaw !== null) return flaw;
  const schema = value as JsonSchema;
  const draft = draftOf(schema);
  if (draft === null) return `has an unknown $schema; known are ${KNOWN_DRAFTS.join(", ")}`;
  const judge = judgeOf(draft);
  if (!judge.validateSchema({ ...schema, $schema: undefined })) return describeSchemaError(judge.errors?.[0]);
  try {
    compile(schema, patterns);
    return null;
  } catch (error) {
    return `can't be used: ${(error as Error).message}`;
  }
}

/** Makes a checked schema ready for use, which takes milliseconds. Throws when it has a flaw after all. */
export function compileSchema(schema: JsonSchema): PayloadSchema {
  const patterns = new Patterns();
  const cost = checkedCost(schema, patterns);
  const { check, weight } = compile(schema, patterns);
  const most = largestData(cost);
  return {
    validate(data) {
      if (isLarger(data, most)) return "data is too large for its event type's schema";
      patterns.steps.left = PATTERN_STEPS;
      try {
        return check(data) ? null : describeDataError(check.errors?.[0]);
      } catch (error) {
        return describeFailure(error);
      }
    },
    weight,
  };
}

/** What can be judged in a time that other requests can wait. */
function largestData({ repeated, lengths }: Cost): DataSize {
  return { values: MAX_COMPARISONS / repeated, characters: MAX_COUNTED_CHARACTERS / lengths };
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
