import type { ErrorObject } from "ajv";
import type { JsonSchema } from "../../domain/json-schema";
import { rounded } from "../../runtime/text/exact-json";
import { namesIn } from "../../runtime/text/json-pointer";
import { type EnforcedSchema, enforced, MAX_SCHEMA_DEPTH } from "./enforcement";
import { ExactNumbers } from "./exact-numbers";
import { MatchBudget, TOO_MUCH_TOGETHER } from "./match-budget";
import { StepsExhausted } from "./pattern";
import { Patterns } from "./patterns";
import { isObject } from "./schema-checks";
import { type CompiledSchema, compile, type Draft, draftOf } from "./schema-compiler";
import type { Cost } from "./schema-cost";
import { checkedCost, checkStorable } from "./schema-limits";
import { SchemaProblem, TooLarge } from "./schema-problem";

/** A compiled schema. */
export type PayloadSchema = {
  /**
   * Returns the first mismatch, such as `data.amount must be >= 0`; null if the data matches. Charges the work to the budget, by
   * default to a budget for this payload only. `numbers` are those that doubles may not hold.
   */
  validate(data: unknown, budget?: MatchBudget, numbers?: ExactNumbers): string | null;
  /** Estimated memory of the compiled schema, in bytes. */
  weight: number;
};

const TOO_LARGE = "data is too large for its event type's schema";
const TOO_LONG = "data takes too long to match against its event type's patterns and numbers";

// Instances with the drafts' own schemas, which check a customer's schema.
const judges = new Map<Draft, InstanceType<Draft>>();

/** The reason for which a value can't be used as a schema, to follow its name, or warnings about parts that are not checked. */
export type CheckedSchema = Readonly<{ problem: string } | { warnings: readonly string[] }>;

/** Depths at which a schema is cut that is too large to check whole: the deepest that fits. */
const CUTS = [null, MAX_SCHEMA_DEPTH, 8, 7, 6, 5, 4, 3, 2];

/** Checks that a value can be used as a schema. */
export function checkSchema(value: unknown): CheckedSchema {
  try {
    checkStorable(value);
    if (!isObject(value)) return { problem: "must be a JSON object" };
    return { warnings: compiledWhole(value, refuseMistakes).warnings };
  } catch (error) {
    if (error instanceof SchemaProblem) return { problem: error.message };
    throw error;
  }
}

/** Compiles a checked schema, in 1 to 100 ms. Throws if it has a problem after all. */
export function compileSchema(schema: JsonSchema): PayloadSchema {
  const { check, weight, cost, patterns, numbers: checks } = compiledWhole(schema);
  return {
    weight,
    validate(data, budget = new MatchBudget(), numbers = ExactNumbers.NONE) {
      const { isWhole } = budget;
      if (!budget.take(data, cost)) return isWhole ? TOO_LARGE : TOO_MUCH_TOGETHER;
      patterns.steps.left = budget.steps;
      checks.numbers = numbers;
      try {
        return check(data) ? null : describeDataError(check.errors?.[0]);
      } catch (error) {
        if (error instanceof StepsExhausted) return isWhole ? TOO_LONG : TOO_MUCH_TOGETHER;
        throw error;
      } finally {
        budget.steps = patterns.steps.left;
        checks.numbers = ExactNumbers.NONE;
      }
    },
  };
}

type CompiledPart = CompiledSchema &
  Readonly<{ cost: Cost; patterns: Patterns; warnings: readonly string[] }>;
type InspectPart = (schema: EnforcedSchema, draft: Draft) => void;

/** Compiles as much of a schema as fits. `inspect` may refuse it before. Throws `SchemaProblem`. */
function compiledWhole(whole: JsonSchema, inspect: InspectPart = () => {}): CompiledPart {
  const { draft, warnings } = draftOf(whole);
  const patterns = new Patterns();
  let problem: TooLarge | null = null;
  let [mostNodes, height] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const cut of CUTS) {
    if (cut !== null && cut >= height) continue;
    try {
      const part = enforced(whole, patterns, cut);
      height = Math.min(height, part.height);
      const cost = checkedCost(part.schema, mostNodes);
      inspect(part, draft);
      // Compiling takes longest by far, so the next try must be about half as large.
      mostNodes = cost.nodes / 2;
      const compiled = compile(part.schema, draft, patterns);
      return { ...compiled, cost, patterns, warnings: [...warnings, ...part.warnings] };
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      problem ??= error;
    }
  }
  throw problem ?? new Error("no depth was tried");
}

/** Throws `SchemaProblem` if a keyword has a value that its draft does not allow. */
function refuseMistakes({ schema, places }: EnforcedSchema, draft: Draft): void {
  const judge = judgeOf(draft);
  // Ajv knows no other numbers than doubles.
  if (judge.validateSchema(rounded(schema) as JsonSchema)) return;
  const error = judge.errors?.[0];
  const path = error?.instancePath.replace(/^\/\$defs\/(\d+)/, (_, name) => places[Number(name)] ?? "");
  throw new SchemaProblem(`is not a valid JSON Schema: ${path || "its root"} ${error?.message}`);
}

function judgeOf(Draft: Draft): InstanceType<Draft> {
  const known = judges.get(Draft);
  if (known) return known;
  const judge = new Draft({ strict: false, validateFormats: false, logger: false });
  judges.set(Draft, judge);
  return judge;
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
