import { violatedCheck } from "../db/pool";

/** What is wrong with an endpoint, by the check that it violates. The sentences are public. */
const CONFLICTS: Readonly<Record<string, string>> = {
  endpoints_email:
    "format email goes with a url such as mailto:ops@example.com, feed: true and no headers; other formats need an http or https url",
  endpoints_batches: "batch_size above 1 goes with format envelope, and with the ordering ordered or by_key",
};

/** Settings of an endpoint that do not go together. The message is public. */
export class SettingsConflict extends Error {
  override readonly name = "SettingsConflict";
}

/** Throws `SettingsConflict` for a write that violates a check of the endpoint's settings. */
export async function withoutConflict<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const conflict = CONFLICTS[violatedCheck(error) ?? ""];
    throw conflict === undefined ? error : new SettingsConflict(conflict);
  }
}
