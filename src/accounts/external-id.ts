import { isUniqueViolation } from "../db/pool";

/** In characters. */
export const EXTERNAL_ID_MAX_LENGTH = 256;

/** The external id belongs to something else already. Its message is public. */
export class ExternalIdTaken extends Error {
  constructor(noun: string) {
    super(`external_id belongs to another ${noun}`);
    this.name = "ExternalIdTaken";
  }
}

/** Throws `ExternalIdTaken` for a write that breaks the index of external ids, the one unique index beside the keys. */
export async function withFreeExternalId<T>(noun: string, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw isUniqueViolation(error) ? new ExternalIdTaken(noun) : error;
  }
}
