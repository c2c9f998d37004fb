import type { ModelType, Shape } from "./model";

// Words in the styles of the languages.

/** `rotateSecret` is `rotate_secret`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter, at: number) => `${at > 0 ? "_" : ""}${letter.toLowerCase()}`);
}

/** `endpoint_id` is `EndpointId`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Returns the first sentence of a text, on one line. */
export function firstSentence(text = ""): string {
  const [line = ""] = text.split("\n\n");
  const words = line.replaceAll("\n", " ");
  const end = words.search(/(?<!\be\.g)\.(?: |$)/);
  return end === -1 ? words : words.slice(0, end + 1);
}

export function commentOf({ text }: Shape, mark: string, indent: string): string {
  const sentence = firstSentence(text);
  return sentence === "" ? "" : `${indent}${mark} ${sentence}\n`;
}

/** The types that are enumerations come first, since some languages need a type before its use. */
export function enumsFirst(types: readonly ModelType[]): ModelType[] {
  return [...types].sort((a, b) => Number(a.kind === "object") - Number(b.kind === "object"));
}
