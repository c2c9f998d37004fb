import type { Account } from "../../client/types";
import { call } from "../shared/api";
import { useResource } from "../shared/resource";
import { can } from "./session";

/** The accounts for which the session may act, newest first; null if it has only one. */
export function useAccounts() {
  return useResource(can("accounts:act") ? "accounts" : null, async () => {
    const found: Account[] = [];
    let cursor: string | undefined;
    do {
      const page = await call("get", "/v1/admin/accounts", { query: { limit: 100, cursor } });
      found.push(...page.data);
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined && found.length < 2_000);
    return found;
  });
}
