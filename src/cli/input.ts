import { readFile } from "node:fs/promises";
import { rawJson } from "../client";
import { messageOf } from "../runtime/message-of";
import { CommandFailed, UsageError } from "./failure";
import type { Session } from "./session";

/** A text given as an argument, in a file or on standard input. */
export async function readText(
  session: Session,
  argument: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (argument !== undefined && file !== undefined) throw new UsageError("Give a text or a file, not both");
  if (argument !== undefined && argument !== "-") return argument;
  if (file !== undefined && file !== "-") return readNamed(file);
  const input = session.surroundings.readInput();
  if (input === null) throw new UsageError("Give JSON as an argument, with --file, or on standard input");
  return decoded(await input, "Standard input");
}

/** A JSON object, kept to the letter. */
export function payloadOf(text: string, what = "The payload"): Record<string, unknown> {
  try {
    return rawJson(text);
  } catch {
    throw new UsageError(`${what} is not a JSON object`);
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

/** Without its byte order mark. Other characters in the place of some would not be what was given. */
function decoded(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${what} is not text in UTF-8`);
  }
}
