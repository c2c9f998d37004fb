import { firstSentence, pascalCase } from "./text";

export const HEAD = "// Written by clients/generate.ts from the API document.\n";

/** Words of the language, and methods that every object has. */
const WORDS = new Set(
  `abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float
  for goto if implements import instanceof int interface long native new package private protected public return short static
  strictfp super switch synchronized this throw throws transient try void volatile while true false null
  wait notify clone finalize`.split(/\s+/),
);
/** Classes that every Java file sees: the API's type of such a name gets another one. */
const SEEN_EVERYWHERE = ["Object", "Process", "Record", "System", "Thread"];

export function className(name: string): string {
  return SEEN_EVERYWHERE.includes(name) ? `Hermod${name}` : name;
}

/** `endpoint_id` is `endpointId`, `1xx` is `n1xx`, and a word of the language gets an underscore. */
export function accessor(name: string): string {
  const words = pascalCase(name).replace(/^(?=\d)/, "N");
  const camel = words.slice(0, 1).toLowerCase() + words.slice(1);
  return WORDS.has(camel) ? `${camel}_` : camel;
}

/** Writes the first sentence of a text in the marks of Javadoc. */
export function docOf(text: string, indent = ""): string {
  const parts = firstSentence(text).split("`");
  const marked = parts.map((part, at) =>
    at % 2 === 1
      ? `{@code ${part}}`
      : part
          .replaceAll("&", "&amp;")
          .replaceAll("<", "&lt;")
          .replaceAll(">", "&gt;")
          .replaceAll("@", "&#64;"),
  );
  return `${indent}/** ${marked.join("").replaceAll("*/", "*&#47;")} */\n`;
}
