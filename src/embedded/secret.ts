import { randomBytes } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { hasCode } from "./errno";

/**
 * The secret kept in `file`, made at the first call (mode 0600). Of several callers at once, in any process,
 * all get the same one. The secret holds letters and digits only, so it needs no escaping in a URL.
 */
export async function madeOnce(file: string): Promise<string> {
  return (await stored(file)) ?? (await make(file));
}

async function stored(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function make(file: string): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  // A letter first: some clients take the first ":<digits>" of a URL for its port.
  const secret = `s${randomBytes(24).toString("hex")}`;
  try {
    await writeDurably(draft, `${secret}\n`);
    // A link never replaces a file, so the first maker wins and the file is whole from its first moment.
    await link(draft, file);
    return secret;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    return (await readFile(file, "utf8")).trim();
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
