// `bun run tour`: writes the programs of docs/tour/ into the pages and the console, which show parts of them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pagePaths, ROOT, textOf } from "./pages";

/** The languages, in the order of the tabs. Each has a program with the same regions. */
const LANGUAGES = [
  { name: "curl", fence: "sh", file: "tour.sh" },
  { name: "TypeScript", fence: "ts", file: "tour.ts" },
  { name: "Python", fence: "python", file: "tour.py" },
  { name: "Go", fence: "go", file: "tour.go" },
  { name: "Java", fence: "java", file: "Tour.java" },
] as const;

/** Lists the pages that may show parts of the tour. */
function tourPages(): string[] {
  return [
    ...pagePaths(),
    "clients/go/README.md",
    "clients/java/README.md",
    "clients/python/README.md",
    "src/client/README.md",
  ];
}

/** A program of the tour, with the text of each region. A region of several parts is all of them. */
export type TourProgram = (typeof LANGUAGES)[number] & { text: string; regions: ReadonlyMap<string, string> };

const MARK = /^\s*(?:#|\/\/) ?#?(region|endregion) ?([\w-]*)$/;
/** What a page shows: regions in all languages or in one, from the mark's line to its end. */
const SHOWN = /<!-- tour(?: (\w+))?: ([\w -]+) -->\n[\s\S]*?<!-- \/tour -->/g;

export const tourPrograms: readonly TourProgram[] = LANGUAGES.map((language) => {
  const text = textOf(`docs/tour/${language.file}`);
  return { ...language, text, regions: regionsOf(text) };
});

function regionsOf(text: string): Map<string, string> {
  const regions = new Map<string, string>();
  let name = "";
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const [, mark, named = ""] = MARK.exec(line) ?? [];
    if (mark === "endregion")
      regions.set(name, [regions.get(name) ?? [], outdented(lines)].flat().join("\n\n"));
    if (mark === undefined) lines.push(line);
    else [name, lines] = [named, []];
  }
  return regions;
}

/** Removes the indentation of the first line from all. */
function outdented(lines: readonly string[]): string {
  const [indentation = ""] = /^\s*/.exec(lines[0] ?? "") ?? [];
  return lines
    .map((line) => line.replace(indentation, ""))
    .join("\n")
    .trim();
}

/** Returns the code of some regions. */
export function tourCode({ regions, file }: TourProgram, names: string): string {
  const parts = names.split(" ").map((name) => {
    const code = regions.get(name);
    if (code === undefined) throw new Error(`docs/tour/${file} has no region ${name}`);
    return code;
  });
  return parts.join("\n\n");
}

/** Writes the marked parts of a page anew, for readers of its source: one language, and the others folded. */
function withTour(page: string): string {
  return page.replaceAll(SHOWN, (shown, only: string | undefined, names: string) => {
    const [mark = ""] = shown.split("\n");
    const programs = tourPrograms.filter(({ name }) => only === undefined || name === only);
    const blocks = programs.map((program, i) => {
      const block = fenced(program, names);
      return i === 0 ? block : `<details><summary>${program.name}</summary>\n\n${block}\n\n</details>`;
    });
    return [mark, ...blocks, "<!-- /tour -->"].join("\n\n");
  });
}

/** Replaces the parts in all languages by tabs, for VitePress. */
export function withTabs(page: string): string {
  return page.replaceAll(SHOWN, (shown, only: string | undefined, names: string) => {
    const tabs = tourPrograms.map((program) => fenced(program, names, ` [${program.name}]`));
    return only === undefined ? ["::: code-group", ...tabs, ":::"].join("\n\n") : shown;
  });
}

function fenced(program: TourProgram, names: string, label = ""): string {
  return `\`\`\`${program.fence}${label}\n${tourCode(program, names)}\n\`\`\``;
}

/** The parts that the console shows. */
const CONSOLE_PARTS = ["connect create-endpoint", "publish"];
/** The functions of docs/receiving/ that console and portal show, in the order of their tabs. */
const VERIFIERS = {
  TypeScript: "verify.ts",
  Python: "verify.py",
  Go: "verify.go",
  Java: "verify.java",
  Kotlin: "verify.kt",
  "C#": "verify.cs",
  PHP: "verify.php",
  Ruby: "verify.rb",
  Elixir: "verify.ex",
  Rust: "verify.rs",
};

/** Returns the files that have code of other files, as they should be, by path. */
export function tourFiles(): Record<string, string> {
  const pages = tourPages().map((path) => [path, withTour(textOf(path))]);
  const parts = CONSOLE_PARTS.map(
    (names) =>
      [
        names,
        Object.fromEntries(tourPrograms.map((program) => [program.name, tourCode(program, names)])),
      ] as const,
  );
  const verifiers = Object.entries(VERIFIERS).map(
    ([name, file]) => [name, textOf(`docs/receiving/${file}`)] as const,
  );
  return {
    ...Object.fromEntries(pages),
    "src/console/shared/tour.json": jsonOf(parts),
    "src/console/shared/verifiers.json": jsonOf(verifiers),
  };
}

function jsonOf(entries: readonly (readonly [string, unknown])[]): string {
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

if (import.meta.main)
  for (const [path, text] of Object.entries(tourFiles())) writeFileSync(join(ROOT, path), text);
