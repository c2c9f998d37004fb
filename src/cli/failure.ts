import { HermodError, HermodUnreachable } from "../client";
import { messageOf } from "../runtime/message-of";
import type { Connection } from "./connection";
import { plain, plainJson } from "./plain";

/** What the command line ends with; in the help and in docs/command-line.md. */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, unavailable: 4 } as const;

const UNAUTHORIZED = 401;

/** The command was given wrongly, or can't know whom to ask. */
export class UsageError extends Error {}

/** What was asked for was done in part or came to nothing; `exitCode` is of EXIT. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof CommandFailed) return error.exitCode;
  if (error instanceof HermodUnreachable) return EXIT.unavailable;
  if (error instanceof HermodError) return isPassing(error) ? EXIT.unavailable : EXIT.refused;
  return EXIT.failed;
}

/** Worth another try later. */
function isPassing({ status }: HermodError): boolean {
  return status === 429 || status >= 500;
}

/** An error in one line. `asked`: whom, if anybody. */
export function failureLine(error: unknown, isJson: boolean, asked: Connection | null = null): string {
  const { code, status, requestId, ...facts } = factsOf(error);
  const message = status === UNAUTHORIZED && asked ? `${facts.message} (${whom(asked)})` : facts.message;
  if (isJson) return plainJson({ error: { code, status, message, request_id: requestId } });
  const cause = [status, code].filter((each) => each !== null).join(" ");
  return plain(`hermod: ${cause === "" ? "" : `${cause}: `}${message}${requestId ? ` (${requestId})` : ""}`);
}

/** Nothing else tells which of several keys was refused, and by whom. */
function whom({ url, keySource }: Connection): string {
  return `asked ${new URL(url).origin} with the key from ${keySource}`;
}

function factsOf(error: unknown) {
  const message = messageOf(error);
  if (!(error instanceof HermodError)) return { code: null, status: null, message, requestId: null };
  const { code, status, requestId } = error;
  return { code, status, message, requestId };
}
