import { isCheckViolation } from "../db/pool";

/** An endpoint's format does not go with its URL, its headers, or the events that it receives. The message is public. */
export class EmailMismatch extends Error {
  override readonly name = "EmailMismatch";

  constructor() {
    super(
      "format email goes with a url such as mailto:ops@example.com, feed: true and no headers; other formats need an http or https url",
    );
  }
}

/** Throws `EmailMismatch` for a write that violates the check of these fields, the only check of endpoints. */
export async function withMatchingFormat<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw isCheckViolation(error) ? new EmailMismatch() : error;
  }
}
