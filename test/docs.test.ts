import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readConfig } from "../src/service/config";
import { loggedMessages } from "./support/log-messages";

const ROOT = join(import.meta.dir, "..");
const inDocs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
const PAGES = [
  "README.md",
  "SECURITY.md",
  ...inDocs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
];

const textOf = (page: string) => readFileSync(join(ROOT, page), "utf8");

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

function anchorsIn(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

test.each(PAGES)("every link in %s leads somewhere", (page) => {
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

test("docs/logs.md explains every message that is logged, and no other", () => {
  const rows = [...textOf("docs/logs.md").matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = ""]) => message);
  expect(rows.toSorted()).toEqual(loggedMessages());
});

describe("the README's configuration", () => {
  const [, section = ""] = textOf("README.md").split("## Configuration");
  const rows = [...section.matchAll(/^\| (`[^|]+`) \| ?([^|]*)\|/gm)];
  const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

  test("has a row for every variable that is read, and for no other", () => {
    const read = new Set<string>();
    const env = new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) });
    readConfig(env);
    expect(rows.flatMap(([, names = ""]) => quoted(names)).toSorted()).toEqual([...read].toSorted());
  });

  test("has the defaults that count", () => {
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
