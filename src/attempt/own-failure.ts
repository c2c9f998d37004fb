import { closeSync, openSync } from "node:fs";
import { isIPv4 } from "node:net";
import { getSystemErrorName } from "node:util";

/** What this machine may lack for a connection: open files, memory for sockets, or ports of its own. */
export type Shortage = "files" | "memory" | "ports";

/** This machine could not make a connection, or not go on with one. Says nothing about the receiver. */
export class OwnFailure extends Error {
  constructor(readonly shortage: Shortage) {
    super(`this machine lacks ${shortage} for a connection`);
    this.name = "OwnFailure";
  }
}

/** The error to handle in place of `error`: an `OwnFailure` where it says that this machine lacks something. */
export function orOwnFailure(error: unknown): unknown {
  if (error instanceof OwnFailure) return error;
  const shortage = shortageIn(error);
  return shortage === null ? error : new OwnFailure(shortage);
}

/**
 * The same of an error by which no connection came about. Bun reports most of what keeps it from making a socket as
 * `ECONNREFUSED`, and c-ares what keeps it from asking as one of many; so a file is opened to see whether it can be.
 */
export function orOwnFailureToConnect(error: unknown, canOpenFile = opensFile): unknown {
  const known = orOwnFailure(error);
  return known instanceof OwnFailure || canOpenFile() ? known : new OwnFailure("files");
}

function shortageIn(error: unknown): Shortage | null {
  const { address } = (error ?? {}) as { address?: unknown };
  const code = codeOf(error);
  if (code === "EMFILE" || code === "ENFILE") return "files";
  if (code === "ENOBUFS" || code === "ENOMEM") return "memory";
  // By IPv6 it also means that this machine has no address to connect from, which another address of the name may spare.
  return code === "EADDRNOTAVAIL" && isIPv4(String(address)) ? "ports" : null;
}

/** `ERR_SYSTEM_ERROR`, of what reads the interfaces, has the code in its number alone. */
function codeOf(error: unknown): unknown {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  return code === "ERR_SYSTEM_ERROR" ? getSystemErrorName(-Math.abs(Number(errno))) : code;
}

function opensFile(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return true;
  } catch (error) {
    return shortageIn(error) === null;
  }
}
