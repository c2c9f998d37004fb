import { expect, test } from "bun:test";
import { upper } from "../../clients/model";
import { GOLDEN_FILE, type JsonValue } from "./document";

// Holds the document to the needs of generators of clients and servers. The golden file is the document, as golden.test.ts checks.

type JsonObject = { [name: string]: JsonValue };
type Place = Readonly<{ place: string; node: JsonObject }>;

const document: JsonObject = await Bun.file(GOLDEN_FILE).json();

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function at(node: JsonObject, name: string): JsonObject {
  const inner = node[name];
  if (!isObject(inner)) throw new Error(`the document has no ${name}`);
  return inner;
}

/** Returns every object of the document outside of examples, with its place. */
function* nodesIn(value: JsonValue, place = "#"): Generator<Place> {
  if (isObject(value)) yield { place, node: value };
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value))
    if (name !== "example" && name !== "examples") yield* nodesIn(inner, `${place}/${name}`);
}

const components = at(document, "components");
const schemas = at(components, "schemas");
const nodes = [...nodesIn(document)];
const operations = nodes.filter(({ node }) => "operationId" in node);
const inSchemas = nodes.filter(({ place }) => /\/schemas?(\/|$)/.test(place));

function resolved(node: JsonValue | undefined): JsonObject {
  if (!isObject(node)) return {};
  if (typeof node.$ref !== "string") return node;
  const found = node.$ref
    .slice(2)
    .split("/")
    .reduce<JsonValue | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), document);
  return isObject(found) ? found : {};
}

/** Returns the choices of a union without null. */
function choicesOf(node: JsonObject): JsonValue[] {
  const all = [node.anyOf, node.oneOf].find(Array.isArray) ?? [];
  return all.filter((each) => !(isObject(each) && each.type === "null"));
}

/** Returns the places of nodes that break a rule. */
const breaking = (among: readonly Place[], breaks: (node: JsonObject, place: string) => boolean) =>
  among.filter(({ node, place }) => breaks(node, place)).map(({ place }) => place);

const isPrimitive = (node: JsonValue) =>
  !["object", "array", undefined].includes(resolved(node).type as string);

test("no field is a choice of primitives, which typed languages can't hold", () => {
  expect(breaking(inSchemas, (node) => choicesOf(node).filter(isPrimitive).length > 1)).toEqual([]);
  const several = (node: JsonObject) =>
    Array.isArray(node.type) && node.type.filter((each) => each !== "null").length > 1;
  expect(breaking(inSchemas, several)).toEqual([]);
});

test("every answer has one shape; a choice is named and has a discriminator", () => {
  const isLoose = (node: JsonObject) => choicesOf(node).length > 1 && !("discriminator" in node);
  expect(breaking(inSchemas, isLoose)).toEqual([]);
  const named = nodes.filter(({ node }) => "discriminator" in node).map(({ place }) => place);
  expect(named.filter((place) => !/^#\/components\/schemas\/\w+$/.test(place))).toEqual([]);
});

test("patterns compile in all engines: no \\u, no look-around, no \\p", () => {
  const isForeign = ({ pattern }: JsonObject) =>
    typeof pattern === "string" && /\\[upP]|\(\?[=!<]/.test(pattern);
  expect(breaking(nodes, isForeign)).toEqual([]);
});

test("names of parameters, fields and models are names in every language", () => {
  const isParameter = ({ in: where, name }: JsonObject) =>
    typeof where === "string" && typeof name === "string";
  const odd = nodes.filter(({ node }) => isParameter(node) && !/^[A-Za-z][\w-]*$/.test(String(node.name)));
  expect(odd.map(({ place, node }) => `${place} ${node.name}`)).toEqual([]);
  const fields = inSchemas.flatMap(({ node }) =>
    isObject(node.properties) ? Object.keys(node.properties) : [],
  );
  expect(fields.filter((name) => !/^[a-z0-9]\w*$/.test(name))).toEqual([]);
  expect(Object.keys(schemas).filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([]);
});

test("no name is both a model and a parameter, response, header, operation or scheme", () => {
  const others = ["parameters", "responses", "headers"].flatMap((kind) => Object.keys(at(components, kind)));
  const ids = operations.map(({ node }) => String(node.operationId));
  // Generators make a type of each scheme, whose name begins with a capital letter.
  const schemes = Object.keys(at(components, "securitySchemes")).map(upper);
  const taken = new Set([...others, ...ids, ...schemes]);
  expect(Object.keys(schemas).filter((name) => taken.has(name))).toEqual([]);
});

test("models do not begin with New, which Go's generators use for constructors", () => {
  expect(Object.keys(schemas).filter((name) => /^New[A-Z]/.test(name))).toEqual([]);
});

test("the words of an enum have a name", () => {
  const isUnnamed = (node: JsonObject, place: string) =>
    Array.isArray(node.enum) &&
    node.enum.filter((word) => word !== null).length > 1 &&
    !/^#\/components\/schemas\/\w+$/.test(place);
  const ofReceivers = /^#\/webhooks\//;
  expect(breaking(inSchemas, isUnnamed).filter((place) => !ofReceivers.test(place))).toEqual([]);
});

test("no field of a request has a default, which generated types would require", () => {
  const bodies = operations.flatMap(({ node }) => {
    const content = at({ content: {}, ...resolved(node.requestBody) }, "content")["application/json"];
    return isObject(content) ? [resolved(content.schema)] : [];
  });
  expect(bodies.length).toBeGreaterThan(20);
  expect(
    bodies.flatMap((body) =>
      breaking([...nodesIn(body)], (node) => "default" in node && "description" in node),
    ),
  ).toEqual([]);
});

test("answers with the same body have the same headers", () => {
  const headersOf = new Map<string, Set<string>>();
  for (const { node } of operations) {
    if (
      !isObject(node.responses) ||
      node.security === undefined ||
      (node.security as JsonValue[]).length === 0
    )
      continue;
    for (const response of Object.values(node.responses)) {
      const { content, headers = {} } = resolved(response);
      const json = isObject(content) ? content["application/json"] : undefined;
      if (!isObject(json)) continue;
      const body = JSON.stringify(json.schema);
      headersOf.set(
        body,
        (headersOf.get(body) ?? new Set()).add(
          Object.keys(headers as JsonObject)
            .sort()
            .join(),
        ),
      );
    }
  }
  expect(headersOf.size).toBeGreaterThan(30);
  expect([...headersOf].filter(([, sets]) => sets.size > 1).map(([body]) => body)).toEqual([]);
});
