import type { Principal } from "../accounts/authentication/principal";
import type { Vouching } from "../cells/vouching";
import { ACCOUNT_HEADER } from "./acting";
import type { FailureLimit } from "./edge/failure-limit";
import { misdirected } from "./errors";
import type { Operation } from "./openapi/operation";

export type VisitorsOptions = Readonly<{
  /** Null in an installation without cells. */
  vouching: Pick<Vouching, "admit"> | null;
  failedAuthentications: Pick<FailureLimit, "waitOf">;
  addressOf(request: Request): string;
}>;

/** Admits administrators whose token is in another cell. */
export class Visitors {
  constructor(private readonly options: VisitorsOptions) {}

  /**
   * Resolves to null for a token that no other cell vouches for, and without a question if too many tokens from this address were
   * nobody's. Throws 421 for what is only in the token's own cell.
   */
  async admit(request: Request, operation: Operation, token: string | null): Promise<Principal | null> {
    const { vouching, failedAuthentications, addressOf } = this.options;
    if (vouching === null || token === null) return null;
    if (failedAuthentications.waitOf(addressOf(request)) !== null) return null;
    const visitor = await vouching.admit(token, request.method !== "GET");
    if (visitor?.vouched && !isForVisitors(request, operation)) throw misdirected(visitor.vouched.cell);
    return visitor;
  }
}

/** True unless a request concerns its token, or its token's own account. */
function isForVisitors({ headers }: Request, { cells, external }: Operation): boolean {
  return cells === null ? headers.has(ACCOUNT_HEADER) || external === "acc" : cells !== "token";
}
