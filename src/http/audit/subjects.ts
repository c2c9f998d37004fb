import type { Accounts } from "../../accounts/account";
import type { ApiKeys } from "../../accounts/api-keys";
import type { Plans } from "../../accounts/plan";
import type { Endpoints } from "../../endpoints/endpoint";
import { viewOfAccount, viewOfPlan } from "../admin/model";
import { viewOfEndpoint } from "../endpoints/model";
import { idInPath } from "../ids";
import { viewOfKey } from "../keys/model";
import type { Subject } from "./auditing";

export type AuditSubjectOptions = {
  accounts: Pick<Accounts, "get">;
  apiKeys: Pick<ApiKeys, "get">;
  endpoints: Pick<Endpoints, "get">;
  plans: Pick<Plans, "list">;
};

/** Returns the reader of the resource that an operation changes, by the operation's name. */
export function auditSubjects(options: AuditSubjectOptions): Readonly<Record<string, Subject>> {
  const { accounts, apiKeys, endpoints, plans } = options;
  return {
    updateAccount: async (_, { id = "" }) => viewed(await accounts.get(idInPath("acc", id)), viewOfAccount),
    updateKey: async (accountId, { id = "" }) =>
      viewed(await apiKeys.get(accountId, idInPath("key", id)), viewOfKey),
    updateEndpoint: async (accountId, { id = "" }) =>
      viewed(await endpoints.get(accountId, idInPath("ep", id)), viewOfEndpoint),
    putPlan: async (_, { name }) =>
      viewed((await plans.list()).find((plan) => plan.name === name) ?? null, viewOfPlan),
  };
}

function viewed<T, View>(item: T | null, view: (item: T) => View): View | null {
  return item === null ? null : view(item);
}
