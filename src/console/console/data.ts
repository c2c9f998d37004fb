import type { Account } from "../../client/types";
import { call } from "../shared/api";
import { type PageOf, readAllPages } from "../shared/live-list";
import { useResource } from "../shared/resource";
import { can } from "./session";

/** Most accounts that are read. */
const MOST_ACCOUNTS = 2_000;

/** The accounts for which the session may act, newest first; null if it has only one. */
export function useAccounts() {
  return useResource(can("accounts:act") ? "accounts" : null, () =>
    readAllPages(accountsFrom, MOST_ACCOUNTS),
  );
}

function accountsFrom(cursor: string | undefined): Promise<PageOf<Account>> {
  return call("get", "/v1/admin/accounts", { query: { limit: 100, cursor } });
}
