import { BoundedMap } from "../../runtime/bounded-map";
import { messageOf } from "../../runtime/errors";
import { MAX_COMPILED_BYTES, MatchBudget, type MatchBudgetLeft, TOO_MUCH_TOGETHER } from "./match-budget";
import { compileSchema, type PayloadSchema, schemaFlaw } from "./payload-schema";
import type { JsonSchema } from "./schema-compiler";

/** A question to the worker. */
export type Question =
  /** What is wrong with a schema? */
  | Readonly<{ kind: "check"; schema: unknown }>
  /** Which payloads match a schema? Without the schema it is the one stored under `key` with this version. */
  | Readonly<{
      kind: "judge";
      key: string;
      version: string;
      schema: JsonSchema | null;
      /** JSON texts. */
      payloads: readonly string[];
      budget: MatchBudgetLeft;
    }>;

export type Answer =
  /** Null: the schema may be used. */
  | Readonly<{ kind: "checked"; flaw: string | null }>
  /** What is wrong with each payload; null if it matches. */
  | Readonly<{ kind: "judged"; verdicts: readonly (string | null)[]; budget: MatchBudgetLeft }>
  /** The schema is not stored: ask again with it. */
  | Readonly<{ kind: "unknown" }>;

type Compiled = Readonly<{ version: string; schema: PayloadSchema }>;

/** Checks schemas and judges payloads. Stores compiled schemas, up to a total weight. */
export class Judge {
  /** Least recently used first. */
  private readonly compiled = new BoundedMap<string, Compiled>(
    MAX_COMPILED_BYTES,
    (each) => each.schema.weight,
  );

  answer(question: Question): Answer {
    if (question.kind === "check") return { kind: "checked", flaw: schemaFlaw(question.schema) };
    const budget = new MatchBudget(question.budget);
    const schema = this.schemaFor(question, budget);
    if (schema === null) return { kind: "unknown" };
    const verdicts = question.payloads.map((text) => schema.validate(JSON.parse(text), budget));
    return { kind: "judged", verdicts, budget: budget.left };
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

/** Refuses all payloads if an earlier version stored a schema that today's limits refuse. */
function compileStored(schema: JsonSchema): PayloadSchema {
  try {
    return compileSchema(schema);
  } catch (error) {
    const reason = `the schema of this event type ${messageOf(error)}`;
    return { validate: () => reason, weight: reason.length };
  }
}
