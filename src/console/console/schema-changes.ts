import { plural } from "../shared/format";
import { isSchema, type Schema } from "./schema-fields";

/** What a schema asks of a property that another one does not. `words` are behind its name. */
type PropertyChange = Readonly<{ is: ChangeKind; path: string; words?: string }>;
type ChangeKind = "required" | "optional" | "refused" | "type";

/** Keywords beside which a property's own rules are not the whole truth: nothing is said of objects that have one. */
const BEYOND = [
  ["$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"],
  ["dependentRequired", "dependentSchemas", "dependencies", "patternProperties", "propertyNames"],
  ["minProperties", "maxProperties", "unevaluatedProperties", "const", "enum"],
].flat();

/** Most levels of nested objects that are compared. */
const DEEPEST = 8;
/** Most properties that a sentence names. */
const NAMED = 5;

/** Says in sentences what `after` asks of senders that `before` does not, and the reverse, as far as that is certain. */
export function changeSentences(before: Schema, after: Schema): readonly string[] {
  const changes = changesIn(before, after, []);
  const sentence = (is: ChangeKind, one: string, many: string) => {
    const found = changes.filter((each) => each.is === is);
    if (found.length === 0) return [];
    const named = found.slice(0, NAMED).map(({ path, words = "" }) => path + words);
    const rest = found.length > NAMED ? " …" : "";
    return [`${plural(found.length, `property ${one}`, `properties ${many}`)}: ${named.join(", ")}${rest}.`];
  };
  return [
    ...sentence("required", "is now required", "are now required"),
    ...sentence("optional", "is no longer required", "are no longer required"),
    ...sentence("type", "has another type", "have another type"),
    ...sentence("refused", "is no longer allowed", "are no longer allowed"),
  ];
}

/** Compares two schemas of the same object, and those of the objects in it. */
function changesIn(before: Schema, after: Schema, path: readonly string[]): readonly PropertyChange[] {
  if (path.length > DEEPEST || !isPlain(before) || !isPlain(after)) return [];
  const names = new Set([before, after].flatMap((each) => Object.keys(propertiesOf(each))));
  for (const each of [before, after]) for (const name of requiredOf(each)) names.add(name);
  return [...names].flatMap((name) => changesOf(name, before, after, path));
}

function changesOf(
  name: string,
  before: Schema,
  after: Schema,
  parent: readonly string[],
): readonly PropertyChange[] {
  const [was, is] = [ruleOf(name, before), ruleOf(name, after)];
  const path = [...parent, name].join(".");
  const [wasRequired, isRequired] = [before, after].map((each) => requiredOf(each).includes(name));
  if (is === "refused") return isSchema(was) ? [{ is: "refused", path }] : [];
  const demand: readonly PropertyChange[] =
    wasRequired === isRequired || (was === "refused" && !isRequired)
      ? []
      : [{ is: isRequired ? "required" : "optional", path }];
  if (!isSchema(was) || !isSchema(is)) return demand;
  return [...demand, ...typeChange(was, is, path), ...changesIn(was, is, [...parent, name])];
}

function typeChange(before: Schema, after: Schema, path: string): readonly PropertyChange[] {
  // Draft 7 ignores the type beside a reference.
  if ("$ref" in before || "$ref" in after) return [];
  const [was, is] = [typesOf(before), typesOf(after)];
  return was === null || is === null || was === is
    ? []
    : [{ is: "type", path, words: ` (${is}, not ${was})` }];
}

/** A property's schema; `refused` if objects must not have it; null if the schema does not name it. */
function ruleOf(name: string, schema: Schema): Schema | "refused" | null {
  const properties = propertiesOf(schema);
  if (!Object.hasOwn(properties, name)) return schema.additionalProperties === false ? "refused" : null;
  const rule = properties[name];
  return rule === false ? "refused" : isSchema(rule) ? rule : null;
}

function isPlain(schema: Schema): boolean {
  return !BEYOND.some((keyword) => keyword in schema);
}

function propertiesOf({ properties }: Schema): Schema {
  return isSchema(properties) ? properties : {};
}

function requiredOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required.filter((each) => typeof each === "string") : [];
}

function typesOf({ type }: Schema): string | null {
  const types = Array.isArray(type) ? type : [type];
  if (types.length === 0 || types.some((each) => typeof each !== "string")) return null;
  return types.toSorted().join(" or ");
}
