import { Type } from "@sinclair/typebox";
import type { Accounts } from "../../accounts/account";
import type { AccountId } from "../../domain/ids";
import { badRequest } from "../errors";
import { externalIdInPath } from "../external-ids";
import { readAccountId } from "../ids";
import type { Query } from "../lists/query";

/** Narrows a list of all accounts to one. */
export const ACCOUNT_PARAMETER = {
  account: Type.String({
    minLength: 1,
    description: "Only this account, by its id or `~` and its external id.",
  }),
};

/** Reads `account`; undefined without it. Throws 400, also if no account has the external id. */
export async function readAccount(
  query: Query<"account">,
  accounts: Pick<Accounts, "idOf">,
): Promise<AccountId | undefined> {
  const text = query.text("account");
  if (text === undefined) return undefined;
  const externalId = externalIdInPath("acc", text);
  if (externalId === null) return readAccountId(text);
  const id = await accounts.idOf(externalId);
  if (id === null)
    throw badRequest("account must be an account's id, acc_…, or ~ and an account's external id");
  return id;
}
