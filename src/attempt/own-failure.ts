import { closeSync, openSync } from "node:fs";
import { isIPv4 } from "node:net";
import { getSystemErrorName } from "node:util";

/** A resource that this machine may lack for a connection: open files, memory for sockets, local ports. */
export type Shortage = "files" | "memory" | "ports";

/** Thrown if this machine can't make or use a connection. The receiver is not at fault. */
export class OwnFailure extends Error {
  constructor(readonly shortage: Shortage) {
    super(`this machine lacks ${shortage} for a connection`);
    this.name = "OwnFailure";
  }
}

/** Replaces an error by an `OwnFailure` if its code means that this machine lacks a resource. */
export function orOwnFailure(error: unknown): unknown {
  if (error instanceof OwnFailure) return error;
  const shortage = shortageIn(error);
  return shortage === null ? error : new OwnFailure(shortage);
}

/**
 * Does the same as `orOwnFailure` for an error of connecting or looking up. Bun reports a socket that it can't make as
 * `ECONNREFUSED`, and c-ares as a failure of DNS, so this opens a file to see whether the process can.
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
  // Over IPv6 the code also means that this machine has no IPv6 address, so another address of the name may work.
  return code === "EADDRNOTAVAIL" && isIPv4(String(address)) ? "ports" : null;
}

/** An `ERR_SYSTEM_ERROR`, thrown when the interfaces are read, has its code only as a number. */
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
