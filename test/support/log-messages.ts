import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SOURCE = join(import.meta.dir, "..", "..", "src");

/** Matches a call of a logger, up to its arguments. */
const CALL = /\blog(?:\??\.(?:debug|info|warn|error|fatal)|\[[^\n]*?\]|\?\.)\(/g;

/** The argument of a call that passes on another call's message. */
const PASSED_ON = "line";

/** Returns every message that the source logs, with `…` for inserted values. Throws for a call that it cannot read. */
export function loggedMessages(): string[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((name) =>
    /^(?!cli|client|demo|console).*\.ts$/.test(name),
  );
  const texts = files.map((name) => readFileSync(join(SOURCE, name), "utf8"));
  const messages = texts.flatMap((text) =>
    [...text.matchAll(CALL)].flatMap(({ index, 0: call }) => {
      const message = argumentsAt(text, index + call.length).at(-1) ?? "";
      return message === PASSED_ON ? [] : textsOf(message, [text, ...texts]);
    }),
  );
  return [...new Set(messages)].toSorted();
}

/** Returns the arguments of the call that opens before `start`. */
function argumentsAt(text: string, start: number): string[] {
  const found: string[] = [];
  let [from, depth] = [start, 0];
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? "";
    if (`"'\``.includes(char)) at = endOfQuote(text, at);
    else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char) && depth-- === 0)
      return [...found, text.slice(from, at)].map(trimmed).filter(Boolean);
    else if (char === "," && depth === 0) {
      found.push(text.slice(from, at));
      from = at + 1;
    }
  }
  throw new Error(`a call without an end: ${text.slice(start, start + 80)}`);
}

const trimmed = (text: string) => text.trim();

function endOfQuote(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[start]) return at;
  }
  throw new Error(`a quote without an end: ${text.slice(start, start + 80)}`);
}

/** Returns the texts that an expression may have. Looks a constant up, and a field by its name. */
function textsOf(expression: string, sources: readonly string[]): string[] {
  if (/^["'`]/.test(expression)) return [literal(expression)];
  const [, field] = /^this\.\w+\.(\w+)$/.exec(expression) ?? [];
  if (field)
    return sources.flatMap((text) =>
      [...text.matchAll(new RegExp(`\\b${field}:\\s+(".*?")`, "g"))].map(([, quoted = ""]) =>
        literal(quoted),
      ),
    );
  const name = expression.replace(/\[.*\]$/, "");
  for (const text of sources) {
    const { index, 0: head } = new RegExp(`const ${name}\\b[^=;]*=\\s*`).exec(text) ?? { index: -1, 0: "" };
    if (index < 0) continue;
    const value = text.slice(
      index + head.length,
      text.indexOf(";\n", index) < 0 ? undefined : endOfStatement(text, index),
    );
    const known: unknown = new Function(`return (${filledIn(value)})`)();
    return typeof known === "string" ? [known] : Object.values(known as Record<string, string>);
  }
  throw new Error(`a message that can't be read: ${expression}`);
}

function endOfStatement(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (`"'\``.includes(text[at] ?? "")) at = endOfQuote(text, at);
    else if (text[at] === ";") return at;
  }
  return text.length;
}

const filledIn = (code: string) => code.replaceAll(/\$\{[^}]*\}/g, "…");
const literal = (code: string): string => new Function(`return ${filledIn(code)}`)();
