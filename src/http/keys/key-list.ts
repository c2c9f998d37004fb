import type { ApiKeys } from "../../accounts/api-keys";
import type { Allowance } from "../../accounts/rate-limit";
import type { AccountId, KeyId } from "../../runtime/ids";
import { answerWhole, DATA } from "../whole-list";
import { viewOfKey } from "./model";

/** All keys of an account, newest first. */
export function answerKeys(allowance: Allowance, apiKeys: ApiKeys, accountId: AccountId): Promise<Response> {
  const read = (limit: number, before?: KeyId) => apiKeys.page(accountId, { limit, before });
  return answerWhole(allowance, { keyOf: ({ id }) => id, read, view: viewOfKey }, DATA);
}
