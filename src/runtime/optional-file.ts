import { readFile } from "node:fs/promises";
import { hasCode } from "./errno";

/**
 * Reads a text file; null means that it does not exist. Every other failure is thrown: a process without a free file
 * descriptor must not conclude that the file is missing.
 */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
