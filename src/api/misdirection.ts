import type { OwnCell } from "../cells/own-cell";
import type { CellReference } from "../cells/reference";
import { accountsNamed, accountsNamedIn, addresseeOfToken } from "./addressee";
import { ApiError, misdirected, UnknownAccount } from "./errors";
import { type SessionCookie, tokenOf } from "./session-cookie";

/**
 * Finds requests that are meant for another cell. Asks only once this cell has refused a request for what it lacks, so that other
 * requests cost nothing more.
 */
export class Misdirection {
  constructor(
    /** Null in an installation without cells. */
    private readonly cell: Pick<OwnCell, "homeOf"> | null,
    private readonly cookie: SessionCookie,
  ) {}

  /** Resolves to the 421 if another cell has what this one lacks, to the cause if that can't be known, else to the error itself. */
  async insteadOf(error: unknown, request: Request): Promise<unknown> {
    if (this.cell === null || !(error instanceof ApiError)) return error;
    try {
      for (const reference of this.lackingIn(error, request)) {
        const home = await this.cell.homeOf(reference);
        if (home !== null) return misdirected(home);
      }
      return error;
    } catch (cause) {
      return cause;
    }
  }

  private lackingIn(error: ApiError, request: Request): CellReference[] {
    if (error instanceof UnknownAccount)
      return error.reference === null ? (accountsNamedIn(request) ?? []) : accountsNamed(error.reference);
    const token = error.status === 401 ? addresseeOfToken(tokenOf(request, this.cookie)) : null;
    return token === null ? [] : [token];
  }
}
