import type { Transport } from "../../client/transport";
import { ask, type NamedInput } from "../ask";
import { type ApiOperation, type DocumentSchema, type Field, inlined, pathNamesIn } from "../document";
import { UsageError } from "../failure";
import { plainJson } from "../plain";
import { type KeyRights, mayCall } from "./access";

export type Tool = Readonly<{
  name: string;
  description: string;
  inputSchema: {
    type: "object";
    properties: Record<string, object>;
    required: string[];
    additionalProperties: false;
  };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}>;

type Arguments = Readonly<Record<string, unknown>>;

/** Begins the descriptions of parameters of numbered pages, with which a list has no cursor. */
const OF_PAGES = "Pages: ";
/** Browsers' sessions need cookies. */
const OF_BROWSERS = ["/v1/sessions", "/v1/portal-sessions"];
/** Most characters of an answer. */
export const MOST_CHARACTERS = 40_000;
/** Items on a page if the call names no limit, and the most that are asked for. */
export const ITEMS = { usual: 20, most: 500 };

/** Returns the operations that are tools for a key: those that only read, or all, which the key may call and which answer JSON. */
export function operationsFor(
  operations: readonly ApiOperation[],
  rights: KeyRights,
  allowsWrites: boolean,
): readonly ApiOperation[] {
  return operations.filter(
    ({ method, path, access, answersJson }) =>
      answersJson &&
      access !== null &&
      (allowsWrites || method === "get") &&
      !OF_BROWSERS.some((each) => path.startsWith(each)) &&
      mayCall(rights, access),
  );
}

/** Describes an operation as a tool. Its arguments are those of the path, the query and the body, whose names differ. */
export function toolOf(operation: ApiOperation): Tool {
  const { id, method, path, summary, description } = operation;
  const fields = fieldsOf(operation);
  const inPath = pathNamesIn(path).map((name) => [name, { type: "string" }] as const);
  const others = fields.map(({ name, schema, text }) => [name, described(inlined(schema), text)] as const);
  const required = [
    ...inPath.map(([name]) => name),
    ...fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  ];
  const isReading = method === "get";
  return {
    name: id,
    description: `${summary}.\n\n${description}`.trim(),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries([...inPath, ...others]),
      required,
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: method === "delete",
      idempotentHint: ["get", "put", "delete"].includes(method),
      openWorldHint: !isReading,
    },
  };
}

function fieldsOf({ query, body }: ApiOperation): readonly Field[] {
  return [...query, ...body].filter(({ text }) => !text?.startsWith(OF_PAGES));
}

function described(schema: DocumentSchema, text: string | undefined): object {
  return text === undefined ? schema : { ...schema, description: text };
}

/** An answer as text, and a note if it is not whole. */
export type ToolAnswer = Readonly<{ text: string; note: string | null }>;

/** Calls an operation. A list that is too long is read again with fewer items, so that its cursor leaves nothing out. */
export async function callTool(
  http: Transport,
  operation: ApiOperation,
  given: Arguments,
): Promise<ToolAnswer> {
  const asked = inputOf(operation, given);
  const isList = operation.method === "get" && operation.query.some(({ name }) => name === "limit");
  if (!isList) return cut(plainJson(await ask(http, operation, asked)));
  const wanted = Math.min(ITEMS.most, Number(given.limit ?? ITEMS.usual));
  for (let limit = wanted; ; limit = Math.floor(limit / 2)) {
    const text = plainJson(await ask(http, operation, { ...asked, query: { ...asked.query, limit } }));
    if (text.length > MOST_CHARACTERS && limit > 1) continue;
    const isLess = limit < wanted;
    return isLess && text.length <= MOST_CHARACTERS
      ? {
          text,
          note: `This page has at most ${limit} items, not ${wanted}, since more would be longer than ${MOST_CHARACTERS} characters. Go on from where it ends.`,
        }
      : cut(text);
  }
}

/** Puts the arguments where the operation has them. */
function inputOf(operation: ApiOperation, given: Arguments): NamedInput {
  const inPath = pathNamesIn(operation.path);
  const fields = fieldsOf(operation);
  const input: NamedInput = { path: {}, query: {}, body: {} };
  for (const [name, value] of Object.entries(given)) {
    const isMap = value instanceof Object && !Array.isArray(value);
    if (inPath.includes(name)) input.path[name] = String(value);
    else if (!fields.some((each) => each.name === name))
      throw new UsageError(
        `${name} is not an argument of ${operation.id}; it has ${namesOf(inPath, fields)}`,
      );
    else if (operation.body.some((each) => each.name === name)) input.body[name] = value;
    else Object.assign(input.query, isMap ? named(name, value) : { [name]: value });
  }
  const absent = inPath.find((name) => input.path[name] === undefined);
  if (absent !== undefined) throw new UsageError(`${operation.id} needs the argument ${absent}`);
  return input;
}

/** Names the entries of a map, as in `data.order_id`. */
function named(map: string, entries: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [`${map}.${name}`, value]));
}

function namesOf(path: readonly string[], fields: readonly Field[]): string {
  return [...path, ...fields.map(({ name }) => name)].join(", ") || "none";
}

function cut(text: string): ToolAnswer {
  if (text.length <= MOST_CHARACTERS) return { text, note: null };
  const shown = text.slice(0, MOST_CHARACTERS);
  return { text: shown, note: `Truncated: the first ${MOST_CHARACTERS} of ${text.length} characters.` };
}
