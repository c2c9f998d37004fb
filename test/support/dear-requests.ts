import type { Json } from "../http/client";

const LENGTH = 1_048_576;
const FILLERS = [" ", "[", "{", ",", '"', "\\", "a", "/", "é"];

/**
 * Makes bodies of nearly 1 MiB, each with a name, that are dear to read: for the reader itself, and for the fields of a schema.
 * `isNew` says whether no operation before had a field like this.
 */
export function dearBodies(
  schema: Json,
  example: Json,
  isNew: (shape: string) => boolean,
): [name: string, body: string][] {
  const fields = Object.entries<Json>(schema.properties ?? {});
  const [first = "x"] = fields.map(([name]) => name);
  const whole = isNew("whole") ? wholeTexts() : wholeTexts().filter(([name]) => DEAREST.includes(name));
  return [
    ...whole.map(([name, text]): [string, string] => [`whole ${name}`, text]),
    ...whole.map(([name, text]): [string, string] => [`in ${first}: ${name}`, `{"${first}":${text}}`]),
    ...fields
      .filter(([, inner]) => isNew(shapeOf(inner)))
      .flatMap(([name, inner]) =>
        fieldTexts(inner).map(([kind, text]): [string, string] => [
          `${name}: ${kind}`,
          withField(example, name, text),
        ]),
      ),
  ];
}

/** The texts that each operation reads; the others cost the same everywhere, since one reader refuses them. */
const DEAREST = ["open brackets", "deep, many", "objects with names of their own"];

function shapeOf({ description: _, examples: __, default: ___, ...shape }: Json): string {
  return JSON.stringify(shape);
}

/** Headers as long as a request may have, each with a name. */
export function dearHeaders(): [name: string, headers: Record<string, string>][] {
  const fillers = [" ", "a", ",", ";", "=", '"', "%", "."];
  const named = [
    ["authorization", "Bearer "],
    ["cookie", "hermod="],
    ["content-type", "application/json;"],
    ["content-encoding", "identity,"],
    ["idempotency-key", ""],
    ["last-event-id", ""],
    ["x-request-id", ""],
    ["traceparent", "00-"],
    ["hermod-account", "~"],
    ["accept-encoding", "gzip,"],
    ["if-none-match", ""],
    ["origin", "http://"],
  ] as const;
  const many = Array.from({ length: 99 }, (_, i): [string, string] => [`x-${i}`, "a".repeat(100)]);
  return [
    ["many headers", Object.fromEntries(many)],
    ...named.flatMap(([name, prefix]) =>
      fillers.map((filler): [string, Record<string, string>] => [
        `${name} of ${filler}`,
        { [name]: `${prefix}${filler.repeat(HEADER_ROOM)}z` },
      ]),
    ),
  ];
}

function withField(example: Json, name: string, text: string): string {
  const { [name]: _, ...others } = example ?? {};
  const rest = JSON.stringify(others).slice(1, -1);
  return `{${rest}${rest === "" ? "" : ","}${JSON.stringify(name)}:${text}}`;
}

const ROOM = LENGTH - 4_096;

function repeated(part: string, between = ","): string {
  return (part + between).repeat(Math.floor(ROOM / (part.length + between.length))).slice(0, -1);
}

function numbered(make: (i: number) => string): string {
  const parts: string[] = [];
  for (let length = 0; length < ROOM; length += (parts.at(-1)?.length ?? 0) + 1)
    parts.push(make(parts.length));
  return parts.slice(0, -1).join(",");
}

function wholeTexts(): [name: string, text: string][] {
  const half = ROOM / 2;
  return [
    ["open brackets", "[".repeat(ROOM)],
    ["deep arrays", "[".repeat(half) + "]".repeat(half)],
    ["deep objects", '{"a":'.repeat(ROOM / 6)],
    ["deep, many", `[${repeated("[".repeat(100) + "]".repeat(100))}]`],
    ["many names", `{${numbered((i) => `"${i.toString(36)}":0`)}}`],
    ["objects with names of their own", `[${numbered((i) => `{"${i.toString(36)}":{}}`)}]`],
    ["same name", `{${repeated('"a":0')}}`],
    ["numbers", `[${repeated("0")}]`],
    ["long name", `{"${"a".repeat(ROOM)}":0}`],
    ["blanks", " ".repeat(ROOM)],
  ];
}

/** JSON texts of a field's value that are dear, most of which its schema allows. */
function fieldTexts(schema: Json): [kind: string, text: string][] {
  const choices: Json[] = [schema, ...(schema.oneOf ?? schema.anyOf ?? [])];
  return choices.flatMap((each): [string, string][] => {
    if (each.type === "string") return FILLERS.map((filler) => [`text of ${filler}`, textOf(each, filler)]);
    if (each.type === "array") return arraysOf(each);
    if (each.type === "object")
      return [
        ["many names", `{${numbered((i) => `"n${i}":"x"`)}}`],
        ["many decimals", `{"a":[${repeated("1.000000000")}]}`],
      ];
    return [];
  });
}

function textOf({ maxLength }: Json, filler: string): string {
  const most = Math.min(maxLength ?? LENGTH, Math.floor(ROOM / JSON.stringify(filler).length));
  return JSON.stringify(`a${filler.repeat(Math.max(0, most - 2))}b`);
}

function arraysOf({ items = {}, maxItems }: Json): [kind: string, text: string][] {
  const item = items.type === "string" ? '"ab"' : items.type === "object" ? "{}" : "0";
  const filled = Array.from({ length: Math.min(maxItems ?? 1_000, 10_000) }, () => item).join(",");
  return [
    ["filled", `[${filled}]`],
    ["endless", `[${repeated(item)}]`],
    ["brackets", `[${repeated("[]")}]`],
  ];
}

const QUERY_ROOM = 8_000;
const HEADER_ROOM = 10_000;

/** Query strings as long as a URL may be, each with a name. `isNew` as with `dearBodies`. */
export function dearQueries(
  parameters: readonly Json[],
  isNew: (shape: string) => boolean,
): [name: string, query: string][] {
  const names = parameters
    .filter((each) => each.in === "query" && isNew(`${each.name} ${shapeOf(each.schema ?? {})}`))
    .map((each) => each.name as string);
  const fillers = ["%20", "a", "%5B", ",", "%22", "0", ".", "+"];
  const values = names.flatMap((name) =>
    fillers.map((filler): [string, string] => [
      `${name} of ${filler}`,
      `${name}=${filler.repeat(Math.floor(QUERY_ROOM / filler.length))}`,
    ]),
  );
  return [
    ["many parameters", Array.from({ length: 1_500 }, (_, i) => `a${i}`).join("&")],
    ["separators", "&=".repeat(QUERY_ROOM / 2)],
    ["one parameter many times", "limit=1&".repeat(QUERY_ROOM / 8)],
    ...values,
  ];
}
