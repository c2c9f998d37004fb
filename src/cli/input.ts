import { readFile } from "node:fs/promises";
import { rawJson } from "../client";
import { messageOf } from "../runtime/errors";
import { CommandFailed, UsageError } from "./failure";
import type { CommandSession } from "./session";

/** Reads a text from an argument, a file or standard input. */
export async function readText(
  session: CommandSession,
  argument: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (argument !== undefined && file !== undefined) throw new UsageError("Give a text or a file, not both");
  if (argument !== undefined && argument !== "-") return argument;
  if (file !== undefined && file !== "-") return readNamed(file);
  const input = session.context.readInput();
  if (input === null) throw new UsageError("Give JSON as an argument, with --file, or on standard input");
  return decoded(await input, "Standard input");
}

/** Reads JSON and keeps its exact text. */
export function payloadOf(text: string, source = "The payload"): Record<string, unknown> {
  try {
    return rawJson(text);
  } catch {
    throw new UsageError(`${source} is not JSON`);
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function readNamed(file: string): Promise<string> {
  return decoded(await readBytes(file), file);
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CommandFailed(messageOf(error));
  }
}

/** Decodes UTF-8, without a byte order mark. Refuses invalid bytes: replacing them would change the payload. */
function decoded(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${source} is not text in UTF-8`);
  }
}
