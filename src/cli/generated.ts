import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { type ItemPage, itemsOf } from "../client/pages";
import type { Transport } from "../client/transport";
import { ask, type NamedInput } from "./ask";
import { wholeNumber } from "./commands/values";
import { confirm } from "./confirm";
import { wordsOf } from "./detail";
import {
  type ApiOperation,
  type DocumentSchema,
  type Field,
  fieldOf,
  hasType,
  type OperationId,
  operationOf,
  resolved,
} from "./document";
import { addField, type Flags, givenBy, type OwnOptions, optionName, sentence } from "./field";
import { isJson, payloadOf, readText } from "./input";
import type { Cell, Columns } from "./output";
import type { CommandSession } from "./session";
import { EVERY, WATCH, watched } from "./watch";

/** How a command is made of an operation. Its texts, options and columns come from the document. */
export type Generated = Readonly<{
  operation: OperationId;
  /** A list: the fields of its items that are columns. */
  columns?: readonly string[];
  /** A list that ends after this many items, unless `--limit` says otherwise. */
  limit?: number;
  /** A flag that asks another operation with the same input. */
  instead?: Readonly<{ flag: string; operation: OperationId }>;
  /** The operation that does the same for another account, which is in its path, if the command acts for one. */
  forAccount?: OperationId;
  /** The names of options and arguments that are not their field's. */
  names?: Readonly<Record<string, string>>;
  /** The command's description, where the document speaks of requests. */
  text?: string;
  /** The fields that the command sets instead of options. */
  sets?: Readonly<Record<string, unknown>>;
  /** Fields that have no option. */
  hides?: readonly string[];
  /** Options with texts of their own. */
  own?: OwnOptions;
  /** The question before it deletes. */
  asks?: (id: string) => string;
  /** The field whose JSON is the last argument, a file or standard input. A text that is not JSON is for the field `yaml`. */
  json?: Readonly<{ field: string; isOptional?: boolean; yaml?: string }>;
}>;

/** The largest page. */
const PAGE = 100;
/** Fields without an option: pages are read by themselves, and other users of the machine can see arguments. */
const HIDDEN = ["cursor", "limit", "signing_secret"];

/** Adds the command of an operation. `usage` has its arguments: the path's first, then fields of the body. */
export function addGenerated(
  group: CommandUnknownOpts,
  usage: string,
  made: Generated,
  session: CommandSession,
): void {
  const operation = operationOf(made.operation);
  const command = group.command(usage);
  if (made.text) command.description(made.text);
  else command.summary(`${operation.summary}.`).description(textOf(operation));
  const args = command.registeredArguments.map((argument) => fieldOfArgument(argument.name(), made));
  const taken = [
    ...HIDDEN,
    ...args,
    made.json?.field,
    made.json?.yaml,
    ...(made.hides ?? []),
    ...(made.own?.fields ?? []),
  ];
  const isChange = ["put", "patch"].includes(operation.method);
  const optionsOf = (fields: readonly Field[]) =>
    fields
      .filter(({ name }) => !taken.includes(name))
      .map((field) => addField(command, field, made.names, isChange));
  const [query, body] = [optionsOf(operation.query), optionsOf(made.sets ? [] : operation.body)];
  for (const option of made.own?.options(isChange) ?? []) command.addOption(option);
  addFlags(command, operation, made, args);
  command.action(async () => {
    const flags: Flags = command.opts();
    const { path, body: given } = argumentsOf(operation, command.args, args);
    const json = made.json && (await readField(session, made.json, args, command.args, flags));
    await carryOut(session, made, flags, {
      path,
      query: Object.assign({}, ...query.map((each) => givenBy(each, flags))),
      body: Object.assign(
        given,
        made.sets,
        ...body.map((each) => givenBy(each, flags)),
        made.own?.read(flags),
        json,
      ),
    });
  });
}

function fieldOfArgument(argument: string, { names = {} }: Generated): string {
  const [field] = Object.entries(names).find(([, name]) => name === argument) ?? [];
  return field ?? argument.replaceAll("-", "_");
}

async function carryOut(
  session: CommandSession,
  made: Generated,
  flags: Flags,
  given: NamedInput,
): Promise<void> {
  const { instead, forAccount, columns, asks } = made;
  const http = await session.transport();
  const { account } = session;
  const isOther = instead !== undefined && flags[optionName(instead.flag)] === true;
  const isForAccount = forAccount !== undefined && account !== undefined;
  const operation = operationOf(isForAccount ? forAccount : isOther ? instead.operation : made.operation);
  const input = isForAccount ? { ...given, path: { id: pathOf(account) } } : given;
  const id = Object.values(input.path).at(-1) ?? "";
  if (operation.method === "delete")
    await confirm(session, asks?.(id) ?? `${operation.summary} (${id})?`, flags.yes === true);
  const limit = typeof flags.limit === "number" ? flags.limit : undefined;
  const fields = columns && isOther && hasAccounts(operation) ? ["account_id", ...columns] : columns;
  await watched(session, flags, async () => {
    if (fields === undefined) return session.output.one(await ask(http, operation, input));
    await session.output.list(itemsIn(http, operation, input, limit), columnsOf(operation, fields), limit);
  });
}

/** Returns an account's path segment: its id, or `~` and its external id, which never looks like an id. */
function pathOf(account: string): string {
  return /^acc_[0-9a-z]{26}$/.test(account) ? account : `~${account}`;
}

/** Joins the summary and the first paragraph of the description. */
function textOf({ summary, description }: ApiOperation): string {
  const [paragraph = ""] = description.split("\n\n");
  return `${summary}.\n\n${paragraph.replaceAll("\n", " ")}`.trim();
}

function addFlags(
  command: CommandUnknownOpts,
  operation: ApiOperation,
  made: Generated,
  args: string[],
): void {
  const { instead, json, limit } = made;
  if (limit !== undefined) command.option("--limit <n>", "show at most this many", wholeNumber(1), limit);
  if (instead) command.option(`--${instead.flag}`, sentence(operationOf(instead.operation).summary));
  if (json) command.option("--file <path>", `read the ${args.at(-1)} from a file; \`-\` is standard input`);
  if (operation.method === "get") command.option(...WATCH).option(...EVERY);
  if (operation.method === "delete") command.option("--yes", "don't ask for confirmation");
}

/** Puts the arguments where the operation has them. An external id is written with `~` in a path. */
function argumentsOf({ path }: ApiOperation, given: readonly string[], names: readonly string[]) {
  const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const pathValue = (i: number) => (names[i] === "external_id" ? `~${given[i]}` : (given[i] ?? ""));
  const fields = names.slice(ids.length);
  const rest = given.slice(ids.length);
  return {
    path: Object.fromEntries(ids.map((name, i): [string, string] => [name, pathValue(i)])),
    body: Object.fromEntries(fields.map((name, i): [string, unknown] => [name, rest[i]])),
  };
}

async function readField(
  session: CommandSession,
  { field, isOptional = false, yaml }: NonNullable<Generated["json"]>,
  names: readonly string[],
  given: readonly string[],
  { file }: Flags,
): Promise<Record<string, unknown>> {
  const name = names.at(-1) ?? field;
  const argument = given[names.length - 1];
  const path = typeof file === "string" ? file : undefined;
  if (isOptional && argument === undefined && path === undefined)
    return { [name]: undefined, [field]: undefined };
  const text = await readText(session, argument, path);
  if (yaml !== undefined && !isJson(text)) return { [name]: undefined, [yaml]: text };
  return { [name]: undefined, [field]: payloadOf(text, `The ${name}`) };
}

function itemsIn(
  http: Transport,
  operation: ApiOperation,
  input: NamedInput,
  limit = PAGE,
): AsyncIterable<object> {
  const isPaged = operation.query.some(({ name }) => name === "cursor");
  // One more than is shown, to know whether there are more.
  const size = isPaged ? { limit: Math.min(limit + 1, PAGE) } : {};
  return itemsOf(async (cursor) => {
    const query = { ...input.query, ...size, cursor };
    return (await ask(http, operation, { ...input, query })) as ItemPage<object>;
  });
}

function hasAccounts({ answer }: ApiOperation): boolean {
  return "account_id" in (resolved(answer.properties?.data?.items ?? {}).properties ?? {});
}

/** Makes columns of fields, such as `health.state`, as wide as the field's schema says. */
function columnsOf({ answer }: ApiOperation, fields: readonly string[]): Columns<object> {
  const item = resolved(answer.properties?.data?.items ?? {});
  return fields.map((field, i) => {
    const name = (field.split(".").at(-1) ?? field)
      .replace(/^is_|_at$/g, "")
      .replaceAll("_", " ")
      .toUpperCase();
    const width = i === fields.length - 1 ? 0 : Math.max(name.length, widthOf(field, fieldOf(item, field)));
    return [name, width, (value: object) => cellOf(value, field)] as const;
  });
}

function widthOf(name: string, schema: DocumentSchema): number {
  // The prefix of an id, which its description has, and the 26 characters behind it.
  if (/(^|[._])id$/.test(name)) return (/`(\w+_)`/.exec(schema.description ?? "")?.[1] ?? "evt_").length + 26;
  if (schema.format === "date-time") return 24;
  if (schema.enum) return Math.max(...schema.enum.map((word) => word?.length ?? 0));
  if (hasType(schema, "boolean")) return 5;
  return hasType(schema, "string") ? 20 : 8;
}

function cellOf(item: object, field: string): Cell {
  const value = field
    .split(".")
    .reduce<unknown>((inner, name) => (inner instanceof Object ? Reflect.get(inner, name) : undefined), item);
  return typeof value === "object" && value !== null ? wordsOf(field, value, null) : (value as Cell);
}
