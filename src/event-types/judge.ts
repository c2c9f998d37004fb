import type { JsonSchema } from "../domain/json-schema";
import { BoundedMap } from "../runtime/bounded-map";
import { messageOf } from "../runtime/errors";
import { parseExactly } from "../runtime/text/exact-json";
import { type ReadYaml, readYaml } from "./catalogue/yaml";
import { celOf } from "./filter/cel-json";
import { MAX_FILTER_STEPS } from "./filter/filter-budget";
import { type FilterVerdict, filterProblem, PayloadFilter } from "./filter/payload-filter";
import { ExactNumbers } from "./schema/exact-numbers";
import {
  MAX_COMPILED_BYTES,
  MatchBudget,
  type MatchBudgetLeft,
  TOO_MUCH_TOGETHER,
} from "./schema/match-budget";
import { type CheckedSchema, checkSchema, compileSchema, type PayloadSchema } from "./schema/payload-schema";

/** A question to the judge. */
export type Question =
  /** Asks whether a JSON text can be used as a schema. */
  | Readonly<{ kind: "check"; schema: string }>
  /** Asks for a document in YAML as JSON. */
  | Readonly<{ kind: "read_yaml"; text: string }>
  /** Asks for the problem of a filter. */
  | Readonly<{ kind: "check_filter"; filter: string }>
  /** Asks for the filters that match an event. */
  | FilterQuestion
  /** Asks which payloads match a schema: the given one, or the one stored under `key` with this version. */
  | Readonly<{
      kind: "judge";
      key: string;
      version: string;
      /** JSON text. */
      schema: string | null;
      /** JSON texts. */
      payloads: readonly string[];
      budget: MatchBudgetLeft;
    }>;

export type FilterQuestion = Readonly<{
  kind: "filter";
  event: string | null;
  /** JSON text. */
  data: string;
  filters: readonly Readonly<{ filter: string; metadata: Readonly<Record<string, string>> }>[];
  /** Steps that the request has left for all its filters. */
  steps: number;
}>;

export type Answer =
  | Readonly<{ kind: "checked"; checked: CheckedSchema }>
  | Readonly<{ kind: "yaml_read"; read: ReadYaml }>
  /** The problem of a filter; null if there is none. */
  | Readonly<{ kind: "filter_checked"; problem: string | null }>
  /** The problem of each payload; null if it matches. */
  | Readonly<{ kind: "judged"; verdicts: readonly (string | null)[]; budget: MatchBudgetLeft }>
  /** The verdicts of the first filters, at least one; null if the steps did not suffice. */
  | Readonly<{ kind: "filtered"; verdicts: readonly FilterVerdict[] | null; steps: number }>
  /** The schema is not stored. The caller asks again and gives it. */
  | Readonly<{ kind: "unknown" }>;

type CompiledFilter = Pick<PayloadFilter, "judge" | "length" | "compileSteps">;
type Compiled = Readonly<{ version: string; schema: PayloadSchema }>;

/** Most steps of all filters of one request, which take one to three seconds. */
export const MAX_REQUEST_STEPS = 2_000_000;
/** Steps that each evaluation costs in addition to the filter's own. */
const STEPS_OF_EACH = 20;
/** Most characters of all stored filters. A compiled filter takes about 100 bytes per character. */
export const MAX_FILTER_CHARACTERS = 262_144;

/** Checks schemas and filters, and evaluates them on payloads. Stores compiled ones, up to a total weight. */
export class Judge {
  /** Compiled schemas, least recently used first. */
  private readonly compiled = new BoundedMap<string, Compiled>(
    MAX_COMPILED_BYTES,
    (each) => each.schema.weight,
  );

  private readonly filters = new BoundedMap<string, CompiledFilter>(
    MAX_FILTER_CHARACTERS,
    ({ length }) => length,
  );

  answer(question: Question): Answer {
    if (question.kind === "check")
      return { kind: "checked", checked: checkSchema(parseExactly(question.schema)) };
    if (question.kind === "read_yaml") return { kind: "yaml_read", read: readYaml(question.text) };
    if (question.kind === "check_filter")
      return { kind: "filter_checked", problem: filterProblem(question.filter) };
    if (question.kind === "filter") return this.filter(question);
    const budget = new MatchBudget(question.budget);
    const schema = this.schemaFor(question, budget);
    if (schema === null) return { kind: "unknown" };
    const verdicts = question.payloads.map((text) => {
      const { data, numbers } = ExactNumbers.parse(text);
      return schema.validate(data, budget, numbers);
    });
    return { kind: "judged", verdicts, budget: budget.left };
  }

  private filter({ event, data, filters, steps: most }: FilterQuestion): Answer {
    const payload = celOf(data);
    const verdicts: FilterVerdict[] = [];
    let steps = most;
    for (const { filter, metadata } of filters) {
      // The caller asks again for the rest. In between, other accounts have their turns.
      if (most - steps >= MAX_FILTER_STEPS) break;
      const known = this.filters.get(filter);
      const compiled = known ?? compiledFilter(filter);
      this.filters.set(filter, compiled);
      steps -= STEPS_OF_EACH + (known === undefined ? compiled.compileSteps : 0);
      const judged = compiled.judge({ event, data: payload, metadata: new Map(Object.entries(metadata)) });
      steps -= judged.steps;
      if (steps < 0) return { kind: "filtered", verdicts: null, steps: 0 };
      verdicts.push(judged.verdict);
    }
    return { kind: "filtered", verdicts, steps };
  }

  private schemaFor(
    { key, version, schema }: Extract<Question, { kind: "judge" }>,
    budget: MatchBudget,
  ): Pick<PayloadSchema, "validate"> | null {
    const kept = this.compiled.get(key);
    if (kept?.version === version) {
      this.compiled.set(key, kept);
      return kept.schema;
    }
    if (schema === null) return null;
    if (budget.compiled <= 0) return { validate: () => TOO_MUCH_TOGETHER };
    const compiled = compileStored(schema);
    this.compiled.set(key, { version, schema: compiled });
    budget.compiled -= compiled.weight;
    return compiled;
  }
}

/** Compiles a stored schema. Refuses all payloads if an earlier version stored a schema beyond today's limits. */
function compileStored(schema: string): PayloadSchema {
  try {
    return compileSchema(parseExactly(schema) as JsonSchema);
  } catch (error) {
    const reason = `the schema of this event type ${messageOf(error)}`;
    return { validate: () => reason, weight: reason.length };
  }
}

/** Compiles a stored filter. Returns an error for every event if an earlier version stored a filter beyond today's limits. */
function compiledFilter(filter: string): CompiledFilter {
  try {
    return new PayloadFilter(filter);
  } catch (thrown) {
    const error = `the filter ${messageOf(thrown)}`;
    return {
      judge: () => ({ verdict: { error }, steps: 0 }),
      length: filter.length,
      compileSteps: filter.length,
    };
  }
}
