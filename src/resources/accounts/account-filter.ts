import { Type } from "@sinclair/typebox";
import type { Accounts } from "../../accounts/account";
import { withoutMark } from "../../accounts/external-id";
import { mayBeExternalId, unknownAccount } from "../../api/external-ids";
import type { Query } from "../../api/lists/query";
import type { AccountId } from "../../domain/ids";

/** Narrows a list of all accounts to one. */
export const ACCOUNT_PARAMETER = {
  account: Type.String({
    minLength: 1,
    description:
      "Only this account, by its id or its external id. A `~` at the start is a mark, as in paths: `~~x` means the external id `~x`.",
  }),
};

/** Reads `account`; undefined without it. Throws 400 if there is no such account. */
export async function readAccount(
  query: Query<"account">,
  accounts: Pick<Accounts, "find">,
): Promise<AccountId | undefined> {
  const text = query.text("account");
  if (text === undefined) return undefined;
  const reference = withoutMark(text);
  const id = mayBeExternalId(reference) ? await accounts.find(reference) : null;
  if (id === null) throw unknownAccount("account", reference);
  return id;
}
