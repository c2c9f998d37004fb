import { HermodError, HermodUnreachable } from "../client";
import { messageOf } from "../runtime/errors";
import { plain, plainJson } from "./plain";

/** The exit codes, also in the help and in docs/command-line.md. */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, unavailable: 4 } as const;

const UNAUTHORIZED = 401;
/** Least status of a failure of the service itself. */
const FAILED = 500;

/** The service that a command asked, and the source of its key. */
type AskedService = Readonly<{ url: string; keySource: string }>;

/** A wrong command line, or no service to connect to. `next`: the command to try, in place of the command's help. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly next: string | null = null,
  ) {
    super(message);
  }
}

/** The command did not do all of its work. `exitCode` is one of EXIT; `next`: the command to try. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
    readonly next: string | null = null,
  ) {
    super(message);
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof CommandFailed) return error.exitCode;
  if (error instanceof HermodUnreachable) return EXIT.unavailable;
  if (error instanceof HermodError) return isTemporary(error) ? EXIT.unavailable : EXIT.refused;
  return EXIT.failed;
}

/** Returns whether a later attempt may succeed. */
function isTemporary({ status }: HermodError): boolean {
  return status === 429 || status >= 500;
}

/**
 * Describes an error in a line, and in a second one the command to try next. `asked`: null for a command without a service; `next`:
 * null if no command helps.
 */
export function failureText(
  error: unknown,
  isJson: boolean,
  asked: AskedService | null = null,
  next: string | null = null,
): string {
  const { code, status, requestId, ...facts } = factsOf(error);
  const message =
    status === UNAUTHORIZED && asked ? `${facts.message} (${connectionWords(asked)})` : facts.message;
  if (isJson) {
    const tried = next === null ? {} : { try: next };
    return `${plainJson({ error: { code, status, message, request_id: requestId, ...tried } })}\n`;
  }
  const cause = [status, code].filter((each) => each !== null).join(" ");
  // Shows the request's id only for failures of the service, for its operator.
  const id = status !== null && status >= FAILED && requestId ? ` (${requestId})` : "";
  const line = plain(`hermod: ${cause === "" ? "" : `${cause}: `}${message}${id}`);
  return next === null ? `${line}\n` : `${line}\nTry: ${plain(next)}\n`;
}

/** Names the service and the source of the key, since a command may find several keys. */
function connectionWords({ url, keySource }: AskedService): string {
  return `asked ${new URL(url).origin} with the key from ${keySource}`;
}

function factsOf(error: unknown) {
  const message = messageOf(error);
  if (!(error instanceof HermodError)) return { code: null, status: null, message, requestId: null };
  const { code, status, requestId } = error;
  return { code, status, message, requestId };
}
