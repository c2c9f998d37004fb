import type { ErrorObject } from "ajv";
import type { JsonSchema } from "../../domain/json-schema";
import { messageOf } from "../../runtime/errors";
import { namesIn } from "../../runtime/text/json-pointer";
import { MatchBudget, TOO_MUCH_TOGETHER } from "./match-budget";
import { StepsExhausted } from "./pattern";
import { Patterns } from "./patterns";
import { compile, type Draft, draftOf, KNOWN_DRAFTS } from "./schema-compiler";
import { checkedCost, limitProblem } from "./schema-limits";
import { SchemaProblem } from "./schema-problem";

/** A compiled schema. */
export type PayloadSchema = {
  /**
   * Returns the first mismatch, such as `data.amount must be >= 0`; null if the data matches. Charges the work to the budget, by
   * default to a budget for this payload only.
   */
  validate(data: unknown, budget?: MatchBudget): string | null;
  /** Estimated memory of the compiled schema, in bytes. */
  weight: number;
};

const TOO_LARGE = "data is too large for its event type's schema";
const TOO_LONG = "data takes too long to match against its event type's patterns";

// Instances with the drafts' own schemas, which check a customer's schema.
const judges = new Map<Draft, InstanceType<Draft>>();

/** Returns the reason for which a value can't be used as a schema, to follow its name; null if it can. */
export function schemaProblem(value: unknown): string | null {
  const patterns = new Patterns();
  const problem = limitProblem(value, patterns);
  if (problem !== null) return problem;
  const schema = value as JsonSchema;
  const draft = draftOf(schema);
  if (draft === null) return `has an unknown $schema; known are ${KNOWN_DRAFTS.join(", ")}`;
  const judge = judgeOf(draft);
  if (!judge.validateSchema({ ...schema, $schema: undefined })) return describeSchemaError(judge.errors?.[0]);
  try {
    compile(schema, patterns);
    return null;
  } catch (error) {
    if (error instanceof SchemaProblem) return error.message;
    return `can't be used: ${messageOf(error)}`;
  }
}

/** Compiles a checked schema, in 1 to 100 ms. Throws if it has a problem after all. */
export function compileSchema(schema: JsonSchema): PayloadSchema {
  const patterns = new Patterns();
  const cost = checkedCost(schema, patterns);
  const { check, weight } = compile(schema, patterns);
  return {
    weight,
    validate(data, budget = new MatchBudget()) {
      const { isWhole } = budget;
      if (!budget.take(data, cost)) return isWhole ? TOO_LARGE : TOO_MUCH_TOGETHER;
      patterns.steps.left = budget.steps;
      try {
        return check(data) ? null : describeDataError(check.errors?.[0]);
      } catch (error) {
        if (error instanceof StepsExhausted) return isWhole ? TOO_LONG : TOO_MUCH_TOGETHER;
        throw error;
      } finally {
        budget.steps = patterns.steps.left;
      }
    },
  };
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

/**
 * Describes the mismatch. Repeats only property names from the data, not values. Shortens what the schema says, since a batch
 * repeats it for each of its items.
 */
function describeDataError(error: ErrorObject | undefined): string {
  if (!error) return "data does not match its event type's schema";
  const path = `data${namesIn(error.instancePath).map(dotted).join("")}`;
  const extra: unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty;
  const expected = shortened(error.message ?? "is not valid", MAX_EXPECTED_LENGTH);
  return `${path} ${expected}${typeof extra === "string" ? `: ${shortened(extra)}` : ""}`;
}

function dotted(name: string): string {
  return /^\d+$/.test(name) ? `[${name}]` : `.${shortened(name)}`;
}

const MAX_NAME_LENGTH = 100;
const MAX_EXPECTED_LENGTH = 150;

function shortened(text: string, most = MAX_NAME_LENGTH): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
