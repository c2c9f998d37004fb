import type { SecretVault } from "../endpoints/signing-secret";
import type { AccountId } from "../runtime/ids";
import { VaultError } from "../vault/vault";
import { badRequest } from "./errors";

/** The lists that cursors lead through. */
export type ListName = "accounts" | "endpoints" | "event-types" | "jobs" | "webhooks";

/** The cursors of one account's list. */
export type ListCursors<Position> = Readonly<{
  write(position: Position): string;
  /** Reads what the parameter `name` holds. Throws 400 for what `write` did not make. */
  read(name: "cursor" | "iterator", token: string): Position;
}>;

/** Changes with the positions, so that none is read by rules that it was not written by. */
const VERSION = "1";

/**
 * Seals positions in lists into tokens that a client can only hand back. A position tells of the database, such as its
 * transaction ids, and is used in statements; so a token shows nothing, works for its own account and list alone, and can't be made up.
 */
export class Cursors {
  constructor(private readonly vault: SecretVault) {}

  of<Position>(list: ListName, accountId: AccountId): ListCursors<Position> {
    const context = `${VERSION}/${list}/${accountId}`;
    return {
      write: (position) => this.vault.seal(JSON.stringify(position), context),
      read: (name, token) => JSON.parse(this.open(name, token, context)),
    };
  }

  private open(name: string, token: string, context: string): string {
    try {
      return this.vault.open(token, context);
    } catch (error) {
      if (error instanceof VaultError)
        throw badRequest(`${name} is not one that this list's answers carried`);
      throw error;
    }
  }
}
