import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { anchorOf, guides, llmsTxt, pagePaths, ROOT, textOf, titleOf } from "../docs/.vitepress/pages";
import { readConfig } from "../src/service/config";
import { loggedMessages } from "./support/log-messages";

function anchorsIn(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

test.each(pagePaths())("every link in %s has a target", (page) => {
  const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  for (const [link, path = "", anchor] of links) {
    const target = path === "" ? page : join(dirname(page), path);
    expect({ link, exists: existsSync(join(ROOT, target)) }).toEqual({ link, exists: true });
    if (anchor)
      expect({ link, anchors: anchorsIn(target) }).toEqual({
        link,
        anchors: expect.arrayContaining([anchor]),
      });
  }
});

/** Functions of our examples: a reader's shell has no commands of these names. */
const FUNCTIONS = "say|id_of|hermod";

test.each(pagePaths())("%s defines each shell function before its commands use it", (page) => {
  const commands = [...textOf(page).matchAll(/^```sh(\n[\s\S]*?)^```$/gm)].map(([, block]) => block).join("");
  const uses = commands.matchAll(new RegExp(`(?:^|[|&;(])[ \\t]*(${FUNCTIONS}) `, "gm"));
  for (const { index, 1: name } of uses) expect(commands.slice(0, index)).toContain(`\n${name}() { `);
});

test("the README's table, the site's menu and llms.txt each link to every page of docs/ once", () => {
  const inDocs = pagePaths().filter((path) => /^docs\/([^/]+|decisions\/README\.md)$/.test(path));
  const inTable = guides().flatMap(({ paths }) => paths);
  expect(inTable.toSorted()).toEqual(inDocs.toSorted());
  const index = llmsTxt();
  expect(index).toStartWith("# Hermod\n\n> Hermod delivers webhooks. You POST an event;");
  for (const { task, paths } of guides())
    for (const path of paths) expect(index).toContain(`\n- [${titleOf(path)}](${path}): ${task}\n`);
});

test("docs/logs.md explains every message that is logged, and no other", () => {
  const rows = [...textOf("docs/logs.md").matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = ""]) => message);
  expect(rows.toSorted()).toEqual(loggedMessages());
});

describe("the configuration in docs/operating.md", () => {
  const [, section = ""] = textOf("docs/operating.md").split("## Configuration");
  const rows = [...section.matchAll(/^\| (`[^|]+`) \| ?([^|]*)\|/gm)];
  const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

  test("has a row for every variable that is read, and for no other", () => {
    const read = new Set<string>();
    const env = new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) });
    readConfig(env);
    expect(rows.flatMap(([, names = ""]) => quoted(names)).toSorted()).toEqual([...read].toSorted());
  });

  test("has the defaults that apply", () => {
    const defaults = rows.flatMap(([, names = "", values = ""]) =>
      values.startsWith("`") ? quoted(names).map((name, i) => [name, quoted(values)[i] ?? ""] as const) : [],
    );
    expect(defaults.length).toBeGreaterThan(15);
    const { unknown: _, ...withoutAny } = readConfig({});
    for (const [name, value] of defaults) {
      const { unknown: _, ...config } = readConfig({ [name]: value });
      expect({ name, config }).toEqual({ name, config: withoutAny });
    }
  });
});
