import { _, type CodeKeywordDefinition, type KeywordCxt, type Name, str } from "ajv";
import { operators } from "ajv/dist/compile/codegen";
import constKeyword from "ajv/dist/vocabularies/validation/const";
import enumKeyword from "ajv/dist/vocabularies/validation/enum";
import { isWrittenNumber } from "../../runtime/text/exact-json";
import type { NumberChecks, SchemaNumber } from "./number-checks";
import { hasPlainItems } from "./schema-checks";

/** Refuses numbers that are whole only as doubles. Enforced schemas have it beside `type: integer`. */
export const WHOLE = "x-whole";

type Bound = Readonly<{ text: string; beyond: typeof operators.GT; tie: typeof operators.GT }>;

const { GT, GTE, LT, LTE } = operators;
const BOUNDS: Readonly<Record<string, Bound>> = {
  maximum: { text: "<=", beyond: GT, tie: GT },
  minimum: { text: ">=", beyond: LT, tie: LT },
  exclusiveMaximum: { text: "<", beyond: GT, tie: GTE },
  exclusiveMinimum: { text: ">", beyond: LT, tie: LTE },
};

/**
 * Returns the keywords that compare numbers, in place of Ajv's, which know only doubles. All uses of a keyword call one function,
 * because a function for each would take quadratic time.
 */
export function numberKeywords(checks: NumberChecks): CodeKeywordDefinition[] {
  return [bounds(checks), multipleOf(checks), whole(checks), constant(checks), oneOf(checks), unique(checks)];
}

const NUMBER: Pick<CodeKeywordDefinition, "type" | "schemaType"> = {
  type: "number",
  schemaType: ["number", "object"],
};

function bounds(checks: NumberChecks): CodeKeywordDefinition {
  return {
    ...NUMBER,
    keyword: Object.keys(BOUNDS),
    code(context) {
      const { data, keyword, schemaCode } = context;
      const { beyond, tie } = boundOf(keyword);
      const bound = Number(textOf(context.schema));
      const compare = _`${checksIn(context, checks)}.compareTied(${data}, ${schemaCode}, ${placeOf(context)})`;
      context.fail(_`${data} ${beyond} ${bound} || ${data} === ${bound} && ${compare} ${tie} 0`);
    },
    error: {
      message: ({ keyword, schema }) => str`must be ${boundOf(keyword).text} ${textOf(schema)}`,
    },
  };
}

// Ajv's own check refuses 19.99 as a multiple of 0.01.
function multipleOf(checks: NumberChecks): CodeKeywordDefinition {
  return {
    ...NUMBER,
    keyword: "multipleOf",
    code(context) {
      const { data, schemaCode } = context;
      context.pass(_`${checksIn(context, checks)}.isMultiple(${data}, ${schemaCode}, ${placeOf(context)})`);
    },
    error: { message: ({ schema }) => str`must be multiple of ${textOf(schema)}` },
  };
}

function whole(checks: NumberChecks): CodeKeywordDefinition {
  return {
    type: "number",
    keyword: WHOLE,
    code: (context) => context.pass(_`${checksIn(context, checks)}.isWhole(${placeOf(context)})`),
    error: { message: "must be integer" },
  };
}

function constant(checks: NumberChecks): CodeKeywordDefinition {
  return {
    keyword: "const",
    code(context) {
      if (!hasNumber(context.schema)) return constKeyword.code(context);
      const { data, schemaCode } = context;
      context.pass(_`${checksIn(context, checks)}.isConstant(${data}, ${schemaCode}, ${placeOf(context)})`);
    },
    error: { message: "must be equal to constant" },
  };
}

function oneOf(checks: NumberChecks): CodeKeywordDefinition {
  return {
    keyword: "enum",
    schemaType: "array",
    code(context) {
      if (!hasNumber(context.schema)) return enumKeyword.code(context);
      const { data, schemaCode } = context;
      context.pass(_`${checksIn(context, checks)}.isOneOf(${data}, ${schemaCode}, ${placeOf(context)})`);
    },
    error: { message: "must be equal to one of the allowed values" },
  };
}

function unique(checks: NumberChecks): CodeKeywordDefinition {
  return {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    code(context) {
      if (context.schema !== true) return;
      const { data, gen, parentSchema } = context;
      const pair = gen.const(
        "pair",
        _`${checksIn(context, checks)}.sameItems(${data}, ${hasPlainItems(parentSchema)})`,
      );
      context.setParams({ pair });
      context.pass(_`${pair} === null`);
    },
    error: {
      message: ({ params: { pair } }) =>
        str`must NOT have duplicate items (items ## ${pair}[1] and ${pair}[0] are identical)`,
    },
  };
}

function boundOf(keyword: string): Bound {
  const bound = BOUNDS[keyword];
  if (bound === undefined) throw new Error(`${keyword} is not a bound`);
  return bound;
}

function checksIn({ gen }: KeywordCxt, checks: NumberChecks): Name {
  return gen.scopeValue("obj", { ref: checks });
}

/** The object or array that has the checked value, and the name there. */
function placeOf({ it: { parentData, parentDataProperty } }: KeywordCxt) {
  return _`${parentData}, ${parentDataProperty}`;
}

function textOf(number: SchemaNumber): string {
  return typeof number === "number" ? String(number) : number.rawJSON;
}

function hasNumber(value: unknown): boolean {
  if (typeof value === "number" || isWrittenNumber(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasNumber);
}
