import { inboxStatement } from "./java-inbox";
import { accessor, className, docOf, HEAD } from "./java-names";
import { typeOf } from "./java-types";
import { type Model, type ModelMethod, type ModelResource, upper } from "./model";

const CLIENT = "java/src/main/java/dev/hermod";
/** The folder with nothing but generated files. */
export const JAVA_MODEL = `${CLIENT}/model`;

/** A resource with methods by hand extends their class. */
const BASES: Readonly<Record<string, string>> = { webhooks: "LiveDeliveries" };

/** Writes the generated files of the Java client, by path. */
export function java(model: Model): Record<string, string> {
  const enums = new Set(model.types.flatMap(({ kind, name }) => (kind === "enum" ? [name] : [])));
  const files = {
    ...Object.fromEntries(
      model.types.map((type) => [`${JAVA_MODEL}/${className(type.name)}`, typeOf(type, enums)]),
    ),
    ...Object.fromEntries(
      model.resources.map((each) => [`${CLIENT}/${resourceClass(each)}`, resourceOf(each, model.resources)]),
    ),
    [`${CLIENT}/Version`]: versionFile(model),
    [`${CLIENT}/inbox/InboxStatement`]: inboxStatement(),
  };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${path}.java`, text]));
}

function versionFile({ version }: Model): string {
  return `${HEAD}package dev.hermod;

/** The version of the client, and of the service that it was made with. */
public final class Version {
    public static final String TEXT = "${version}";

    private Version() {}
}
`;
}

function resourceOf(resource: ModelResource, all: readonly ModelResource[]): string {
  const { name, text, methods } = resource;
  const type = resourceClass(resource);
  const isRoot = name === "";
  const doc = isRoot ? docOf("The methods and resources of a client.") : text === "" ? "" : docOf(text);
  const body = methods.flatMap((each) => [callOf(each), ...everyOf(each)]).join("\n");
  return `${HEAD}package dev.hermod;

import dev.hermod.model.*;

${doc}public ${isRoot ? "abstract" : "final"} class ${type} extends ${BASES[name] ?? "Resource"} {
${isRoot ? rootOf(all.filter((each) => each.name !== "")) : `    ${type}(Transport transport) {\n        super(transport);\n    }\n`}
${body}}
`;
}

/** The client itself has all resources. */
function rootOf(all: readonly ModelResource[]): string {
  const fields = all.map((each) => `    private final ${resourceClass(each)} ${each.name};\n`);
  const made = all.map((each) => `        this.${each.name} = new ${resourceClass(each)}(transport);\n`);
  const getters = all.map(
    (each) => `
${each.text === "" ? "" : docOf(each.text, "    ")}    public ${resourceClass(each)} ${each.name}() {
        return ${each.name};
    }
`,
  );
  return `${fields.join("")}
    Methods(Transport transport) {
        super(transport);
${made.join("")}    }
${getters.join("")}`;
}

function resourceClass({ name }: ModelResource): string {
  return name === "" ? "Methods" : upper(name);
}

/** A method whose input may be left out has a form without it. */
function callOf(method: ModelMethod): string {
  const { name, input, takesKey, answer, text } = method;
  const forms = input?.isOptional ? [null, input] : [input];
  const calls = forms.map((form) => {
    const options = takesKey ? ["RequestOption... options"] : [];
    const parameters = [
      ...idsOf(method).map(({ parameter }) => `String ${parameter}`),
      ...inputOfForm(form),
      ...options,
    ];
    const request = `${requestOf(method, form)}${takesKey ? ".options(options)" : ""}`;
    return `${docOf(`${text}.`, "    ")}    public ${className(answer)} ${accessor(name)}(${parameters.join(", ")}) {
        return call(${request}, ${className(answer)}::new);
    }
`;
  });
  return calls.join("\n");
}

function everyOf(method: ModelMethod): string[] {
  const { every, input, name } = method;
  if (!every) return [];
  return [null, ...(input ? [input] : [])].map((form) => {
    const parameters = [...idsOf(method).map(({ parameter }) => `String ${parameter}`), ...inputOfForm(form)];
    return `    /** Reads all pages of {@code ${name}}, each when it is needed. */
    public Items<${className(every.item)}> ${accessor(every.name)}(${parameters.join(", ")}) {
        return items(${requestOf(method, form)}, ${className(every.item)}::new);
    }
`;
  });
}

type Input = ModelMethod["input"];

function inputOfForm(input: Input): string[] {
  return input ? [`${className(input.type)} ${input.in}`] : [];
}

function requestOf(method: ModelMethod, input: Input): string {
  const values = idsOf(method).map(({ value }) => `, ${value}`);
  const given = input ? `.${input.in}(${input.in})` : "";
  return `request("${method.http.toUpperCase()}", "${method.path}"${values.join("")})${given}`;
}

function idsOf({ ids, isByExternalId }: ModelMethod) {
  if (isByExternalId) return [{ parameter: "externalId", value: '"~" + externalId' }];
  return ids.map(accessor).map((name) => ({ parameter: name, value: name }));
}
