import { type Static, Type } from "@sinclair/typebox";
import { answerText } from "../../api/answer";
import type { Call } from "../../api/call";
import type { FailureLimit } from "../../api/edge/failure-limit";
import { tooManyRequests } from "../../api/errors";
import { Query } from "../../api/lists/query";
import { named, nullable, words } from "../../api/openapi/schema";
import type { AccountId } from "../../domain/ids";
import type { CodeQuestion, CodeWriter, WrittenCode } from "../../event-types/code/code-writer";
import { CODE_LANGUAGES } from "../../event-types/code/languages";
import type { EventType } from "../../event-types/visible-types";

/** Most times a minute that an account, in a process, may have types written that are not kept from before. */
export const WRITTEN_CODE_PER_MINUTE = 20;

export const CODE_PARAMETERS = {
  language: words("CodeLanguage", CODE_LANGUAGES, { description: "TypeScript by default." }),
};

const CodeFile = named("CodeFile", Type.Object({ name: Type.String(), text: Type.String() }));

export const TypeCode = named(
  "TypeCode",
  Type.Object({
    event_type: Type.String(),
    language: words("CodeLanguage", CODE_LANGUAGES),
    files: Type.Array(CodeFile, {
      description:
        "Source code. Empty if there is a problem. Java has a file for each type, and needs Jackson.",
    }),
    problem: nullable(Type.String({ description: "Why no types can be written; null if there are some." })),
  }),
);

export const TYPE_CODE_EXAMPLE = {
  event_type: "order.created",
  language: "ts",
  files: [{ name: "OrderCreated.ts", text: "export interface OrderCreated {\n  order_id: string;\n}\n" }],
  problem: null,
} satisfies Static<typeof TypeCode>;

export type TypeCoding = {
  codeWriter: Pick<CodeWriter, "known" | "write">;
  /** The types written for each account. */
  writtenCode: FailureLimit;
};

/** Writes types for the payload of an event type, from its schema or else from its example. */
export async function answerTypeCode(
  options: TypeCoding,
  { principal, allowance }: Call,
  request: Request,
  { name, schema, example }: EventType,
): Promise<Response> {
  const language = new Query(request.url, ["language"]).oneOf("language", CODE_LANGUAGES) ?? "ts";
  const text = schema ?? example;
  const payload = text === null ? null : ({ kind: schema === null ? "example" : "schema", text } as const);
  const written =
    payload === null
      ? UNKNOWN
      : await codeFor(options, principal.accountId, { event: name, language, payload });
  const view: Static<typeof TypeCode> = {
    event_type: name,
    language,
    files: written.kind === "written" ? [...written.files] : [],
    problem: written.kind === "refused" ? written.reason : null,
  };
  return answerText(allowance, 200, JSON.stringify(view));
}

const UNKNOWN: WrittenCode = {
  kind: "refused",
  reason: "the event type has neither a schema nor an example",
};

function codeFor(
  { codeWriter, writtenCode }: TypeCoding,
  accountId: AccountId,
  question: CodeQuestion,
): WrittenCode | Promise<WrittenCode> {
  const known = codeWriter.known(question);
  if (known !== null) return known;
  const waitSeconds = writtenCode.waitOf(accountId);
  if (waitSeconds !== null)
    throw tooManyRequests(`Types were written too often; try again in ${waitSeconds} s`, waitSeconds);
  writtenCode.count(accountId);
  return codeWriter.write(accountId, question);
}
