import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** Files of the repository's root that are pages too. */
const AT_ROOT = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/** Lists the files of all pages, by their paths in the repository. */
export function pagePaths(): string[] {
  const inDocs = ["docs", "docs/decisions"].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  );
  return [...AT_ROOT, ...inDocs.filter((path) => path.endsWith(".md"))];
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

export function titleOf(path: string): string {
  return /^# (.+)$/m.exec(textOf(path))?.[1] ?? path;
}

/** Makes the anchor of a heading as GitHub does, so that links work on both. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

type Guide = Readonly<{ task: string; paths: readonly string[] }>;

/** Reads the README's table: tasks, and the pages that help with each. */
export function guides(): Guide[] {
  return [...textOf("README.md").matchAll(/^\| ([^|]+) \| (\[docs\/[^|]+) \|$/gm)].map(
    ([, task = "", links = ""]) => ({
      task,
      paths: [...links.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path),
    }),
  );
}

/** Writes the index for language models, https://llmstxt.org: each page with the task that it helps with. */
export function llmsTxt(): string {
  const [summary = ""] = /^[A-Z][\s\S]+?(?=\n\n)/m.exec(textOf("README.md")) ?? [];
  const line = (path: string, task: string) => `- [${titleOf(path)}](${path}): ${task}`;
  const tasks = guides().flatMap(({ task, paths }) => paths.map((path) => line(path, task)));
  const others = AT_ROOT.slice(1).map((path) => `- [${titleOf(path)}](${path})`);
  return [
    `# ${titleOf("README.md")}`,
    "",
    `> ${summary.replaceAll("\n", " ")}`,
    "",
    "## Docs",
    "",
    line("README.md", "start it, send a first webhook, look up a setting"),
    ...tasks,
    "",
    "## Optional",
    "",
    ...others,
    "",
  ].join("\n");
}
