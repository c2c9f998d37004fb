import { TargetError, type TargetErrorCode } from "../failure";
import type { TargetResolver } from "./resolver";

/** The error with which every attempt at a URL would end before it connects. */
export type AddressProblem = Readonly<{ error: TargetErrorCode; detail: string | null }>;

/** Looks up the address of an account's URL as an attempt would, and connects to nothing. Resolves to null if it is usable. */
export type CheckAddress = (account: string, url: string) => Promise<AddressProblem | null>;

/** Rejects with `OwnFailure`, like the resolver. */
export function addressCheck(resolver: Pick<TargetResolver, "resolve">): CheckAddress {
  return async (account, url) => {
    try {
      await resolver.resolve(url, { account, speed: "new" });
      return null;
    } catch (error) {
      if (error instanceof TargetError) return { error: error.code, detail: error.detail };
      throw error;
    }
  };
}
