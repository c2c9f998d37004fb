import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PERMISSIONS } from "../../src/domain/permission";

test("docs/access.md has a row for every permission, and for no other", async () => {
  const page = await readFile(join(import.meta.dir, "../../docs/access.md"), "utf8");
  const [, table = ""] = page.split(/^## /m);
  const rows = [...table.matchAll(/^\| `(.*?)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual([...PERMISSIONS]);
});
