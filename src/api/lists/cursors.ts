import type { AccountId, EventId } from "../../domain/ids";
import { type SecretVault, VaultError } from "../../vault/vault";
import { badRequest } from "../errors";

/** The lists with cursors. */
export type ListName =
  | "activity"
  | "audit"
  | "accounts"
  | "all-deliveries"
  | "all-endpoints"
  | "all-events"
  | "backlog"
  | "endpoints"
  | "event-types"
  | "events"
  | `deliveries-of/${EventId}`
  | `missed-by/${EventId}`
  | "jobs"
  | "queue"
  | "webhooks";

/** Writes and reads the cursors of a list of one account. */
export type ListCursors<Position> = Readonly<{
  write(position: Position): string;
  /** Reads the parameter `cursor`; undefined without one. Throws 400 for a token that `write` did not make. */
  readCursor(token: string | undefined): Position | undefined;
  /** Reads the parameter `iterator`. Throws 400 like `readCursor`. */
  readIterator(token: string): Position;
}>;

/** The version of positions' format. A change makes old tokens invalid, so that they are not misread. */
const VERSION = "1";

/**
 * Seals list positions into tokens. A position contains internals of the database, such as transaction ids, and goes into
 * statements. So a token is opaque, can't be forged, and works only for its own account and list.
 */
export class Cursors {
  constructor(private readonly vault: SecretVault) {}

  of<Position>(list: ListName, accountId: AccountId): ListCursors<Position> {
    const context = `${VERSION}/${list}/${accountId}`;
    const read = (name: string, token: string): Position => JSON.parse(this.open(name, token, context));
    return {
      write: (position) => this.vault.seal(JSON.stringify(position), context),
      readCursor: (token) => (token === undefined ? undefined : read("cursor", token)),
      readIterator: (token) => read("iterator", token),
    };
  }

  private open(name: string, token: string, context: string): string {
    try {
      return this.vault.open(token, context);
    } catch (error) {
      if (error instanceof VaultError)
        throw badRequest(
          `${name} is not valid for this list; send one from an earlier answer of the same list`,
        );
      throw error;
    }
  }
}
