import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { CHECK_REASONS } from "../../../src/certification/report";
import { TRIALS, trialOf } from "../../../src/certification/trial";
import { LANGUAGES, textsFor } from "../../../src/console/portal/texts";
import { shipped } from "../../../src/runtime/shipped";

const SOURCES = shipped("src/console");
/** The catalogues themselves. */
const EXEMPT = ["shared/texts.ts", "shared/waiting-words.ts", "portal/texts.ts"];
/** Words that are the same in English and German. */
const SAME = ["title", "status", "url", "name", "schema"];

const english = textsFor(["en"]).texts;

/** The texts of a catalogue by name. Texts with parameters are called with one. */
function written(texts: object, at = ""): [name: string, text: unknown][] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text === "object") return written(text, `${at}${name}.`);
    return [[at + name, typeof text === "function" ? text(2, 3) : text]] as [string, unknown][];
  });
}

describe.each(LANGUAGES.filter((each) => each !== "en"))("in %s", (language) => {
  const { texts } = textsFor([language]);
  const translated = new Map(written(texts));

  test("every text exists, and none is the English one", () => {
    expect([...translated.keys()].sort()).toEqual(
      written(english)
        .map(([name]) => name)
        .sort(),
    );
    const untranslated = written(english).filter(([name, text]) => translated.get(name) === text);
    expect(untranslated.map(([name]) => name).filter((name) => !SAME.includes(name))).toEqual([]);
    const empty = [...translated].filter(([, text]) => String(text).trim() === "");
    expect(empty).toEqual([]);
  });
});

test.each(LANGUAGES)("in %s, each check of a certification that fails says what to mend", (language) => {
  const { checkMends } = textsFor([language]).texts;
  const missing = CHECK_REASONS.filter((reason) => reason !== "refused" && !checkMends[reason]);
  const accepting = TRIALS.filter((name) => trialOf(name).expects === "acceptance");
  expect([...missing, ...accepting.filter((name) => !checkMends[`${name}_refused`])]).toEqual([]);
});

test("a language is matched with its region, and an unknown locale breaks nothing", () => {
  const chosen = (...wanted: string[]) => {
    const { language, locale } = textsFor(wanted);
    return `${language}, ${locale}`;
  };
  expect(chosen("de-AT")).toBe("de, de-AT");
  expect(chosen("de_CH")).toBe("de, de-CH");
  expect(chosen("fr", "de")).toBe("de, de");
  expect(chosen("de-!")).toBe("de, de");
  expect(chosen("x".repeat(35))).toBe("en, en");
});

/** The portal's own files, and those that it shares with the console. */
async function filesOfPortal(): Promise<string[]> {
  const found = new Set<string>();
  const transpiler = new Bun.Transpiler({ loader: "tsx" });
  const follow = async (path: string): Promise<void> => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: name } of transpiler.scanImports(await Bun.file(path).text())) {
      if (!name.startsWith(".")) continue;
      const stem = join(dirname(path), name);
      for (const each of [`${stem}.ts`, `${stem}.tsx`]) if (await Bun.file(each).exists()) await follow(each);
    }
  };
  await follow(join(SOURCES, "portal.tsx"));
  return [...found].filter((path) => path.startsWith(SOURCES)).sort();
}

const SHOWN = /(?:children|"aria-label"|title|placeholder|label|alt|word|text|note): "((?:[^"\\]|\\.)*)"/g;
const SAID = /\bsay\("((?:[^"\\]|\\.)*)"/g;
/** String literals of more than one word, on lines that can have no other. */
const WORDS = /"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/g;
const NOT_SHOWN = /\b(?:class|d|viewBox): |querySelector|new (?:Error|HermodUnreachable)\(/;

/** Texts for people that stand in a file. */
function literalsIn(source: string): string[] {
  const options = {
    loader: "tsx",
    tsconfig: { compilerOptions: { jsx: "react-jsx", jsxImportSource: "preact" } },
  } as const;
  const code = new Bun.Transpiler(options).transformSync(source);
  const named = [SHOWN, SAID].flatMap((pattern) => [...code.matchAll(pattern)].map(([, text = ""]) => text));
  const lines = code
    .split("\n")
    .filter((line) => !NOT_SHOWN.test(line))
    .join("\n");
  const worded = [...lines.matchAll(WORDS)]
    .map(([, plain, template]) => plain ?? template ?? "")
    .filter((text) => /[A-Za-z]{2,} [a-z]{2,}/.test(text));
  return [...named, ...worded].filter((text) => /[A-Za-z]{2}/.test(text) && !/^https?:/.test(text));
}

test("no text is written in a component of the portal", async () => {
  const paths = (await filesOfPortal()).filter((path) => !EXEMPT.some((each) => path.endsWith(each)));
  expect(paths.length).toBeGreaterThan(20);
  const found: Record<string, string[]> = {};
  for (const path of paths) {
    const literals = literalsIn(await Bun.file(path).text());
    if (literals.length > 0) found[path.slice(SOURCES.length + 1)] = literals;
  }
  expect(found).toEqual({});
});

test.each([
  "<p>Try again</p>",
  '<button aria-label="Close" />',
  '<input placeholder="Search" />',
  "<p>{n} events wait</p>",
  'const a = () => say("Copied")',
  "const a = `Show all $" + "{n}`",
])("%s is found", (source) => {
  expect(literalsIn(`export const a = (n: number) => ${source.replace("const a = ", "")};`)).not.toEqual([]);
});
