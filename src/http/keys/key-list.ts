import type { ApiKeys } from "../../accounts/api-keys";
import type { Allowance } from "../../accounts/rate-limit";
import type { PageRequest } from "../../db/page";
import type { AccountId, KeyId } from "../../domain/ids";
import { answerWhole, DATA } from "../lists/whole-list";
import { viewOfKey } from "./model";

/** Answers with all keys of an account, newest first. */
export function answerKeys(allowance: Allowance, apiKeys: ApiKeys, accountId: AccountId): Promise<Response> {
  const read = (asked: PageRequest<KeyId>) => apiKeys.page(accountId, asked);
  return answerWhole(allowance, { keyOf: ({ id }) => id, read, view: viewOfKey }, DATA);
}
