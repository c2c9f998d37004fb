import { isUniqueViolation } from "../db/pool";

/** Most characters of an external id. */
export const EXTERNAL_ID_MAX_LENGTH = 256;

/** Marks an external id where ids are expected, such as in a path. External ids may begin with it themselves. */
export const EXTERNAL_ID_MARK = "~";

/** Returns the text without the mark at its start, if there is one. */
export function withoutMark(text: string): string {
  return text.startsWith(EXTERNAL_ID_MARK) ? text.slice(EXTERNAL_ID_MARK.length) : text;
}

/** The external id belongs to another account or endpoint. The message is public. */
export class ExternalIdTaken extends Error {
  constructor(noun: string) {
    super(`external_id belongs to another ${noun}`);
    this.name = "ExternalIdTaken";
  }
}

/** Throws `ExternalIdTaken` for a write that violates the index of external ids, the only unique index beside the keys. */
export async function withFreeExternalId<T>(noun: string, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw isUniqueViolation(error) ? new ExternalIdTaken(noun) : error;
  }
}
