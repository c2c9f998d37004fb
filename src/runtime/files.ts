import { randomBytes } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { hasCode } from "./errors";

/**
 * Returns the text in `file` (mode 0600), after writing `text` if the file does not exist. Concurrent callers, in any
 * process, all get the same text.
 */
export async function createOnce(file: string, text: string): Promise<string> {
  return (await readCreated(file)) ?? (await make(file, text));
}

/** Reads the text in `file`; null if the file does not exist. */
export async function readCreated(file: string): Promise<string | null> {
  return (await readIfPresent(file))?.trim() ?? null;
}

async function make(file: string, text: string): Promise<string> {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeDurably(temporary, `${text}\n`);
    // A link never replaces a file, so the first process wins and the file is always complete.
    await link(temporary, file);
    return text;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    return (await readFile(file, "utf8")).trim();
  } finally {
    await rm(temporary, { force: true });
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

/**
 * Reads a text file; null if it does not exist. Throws every other failure: a process without a free file descriptor
 * must not conclude that the file is missing.
 */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
