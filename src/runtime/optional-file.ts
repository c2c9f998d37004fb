import { readFile } from "node:fs/promises";
import { hasCode } from "./errno";

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
