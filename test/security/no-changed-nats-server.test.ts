import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { access, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyVerified } from "../../src/embedded/nats-binary";
import { makeFolder } from "../embedded/folder";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("a nats-server is made executable only if it is the pinned one", async () => {
  await using folder = await makeFolder();
  const file = join(folder.path, "packaged");
  await writeFile(file, "as released", { mode: 0o644 });
  const copy = await copyVerified(file, sha256("as released"), folder.dataDir);
  expect(await readFile(copy, "utf8")).toBe("as released");
  expect((await stat(copy)).mode & 0o777).toBe(0o700);

  await writeFile(file, "changed since");
  const again = copyVerified(file, sha256("as released"), folder.dataDir);
  await expect(again).rejects.toThrow(`its SHA-256 is ${sha256("changed since")}`);
  expect(await readFile(copy, "utf8")).toBe("as released");
  expect((await stat(`${copy}.new`)).mode & 0o111).toBe(0);
});

test("a path without a file in the pinned package is an error", async () => {
  await using folder = await makeFolder();
  await expect(copyVerified(join(folder.path, "none"), sha256(""), folder.dataDir)).rejects.toThrow("ENOENT");
  await expect(access(join(folder.dataDir, "bin", "nats-server"))).rejects.toThrow("ENOENT");
});
