import { itemsOf } from "../pages.ts";
import type { PostOptions, RequestOptions, Transport } from "../transport.ts";
import type {
  Account,
  AccountChanges,
  AccountDelivery,
  AccountEndpoint,
  AccountEvent,
  AccountPage,
  AccountSettings,
  AllDeliveriesQuery,
  AllEndpointsQuery,
  AllEventsQuery,
  AllSeriesQuery,
  AuditEntry,
  AuditQuery,
  CreatedKey,
  CursorQuery,
  KeyList,
  NewAccount,
  NewKey,
  Plan,
  PlanLimits,
  PlanList,
  Series,
  System,
} from "../types.ts";
import type { Deleted } from "./endpoints.ts";

/** Manages accounts, their keys and plans. Needs the permission `admin`. */
export class Admin {
  constructor(private readonly http: Transport) {}

  createAccount(account: NewAccount, options?: PostOptions): Promise<Account> {
    return this.http.call("post", "/v1/admin/accounts", { body: account }, options);
  }

  getAccount(id: string, options?: RequestOptions): Promise<Account> {
    return this.http.call("get", "/v1/admin/accounts/{id}", { path: { id } }, options);
  }

  /** Reads a page, newest first. */
  listAccounts(query: CursorQuery = {}, options?: RequestOptions): Promise<AccountPage> {
    return this.http.call("get", "/v1/admin/accounts", { query }, options);
  }

  /** Reads every account, page by page. */
  allAccounts(options?: RequestOptions): AsyncGenerator<Account, void, undefined> {
    return itemsOf((cursor) => this.listAccounts({ limit: 100, cursor }, options));
  }

  /**
   * Creates the account with this external id, or changes it. Absent fields stay unchanged. Other methods accept `~` and the
   * external id in place of an id.
   */
  putAccount(externalId: string, account: AccountSettings, options?: RequestOptions): Promise<Account> {
    const input = { path: { id: `~${externalId}` }, body: account };
    return this.http.call("put", "/v1/admin/accounts/{id}", input, options);
  }

  updateAccount(id: string, changes: AccountChanges, options?: RequestOptions): Promise<Account> {
    return this.http.call("patch", "/v1/admin/accounts/{id}", { path: { id }, body: changes }, options);
  }

  /** Reads the changes in all accounts with their keys or persons, newest first, page by page. */
  audit(query: AuditQuery = {}, options?: RequestOptions): AsyncGenerator<AuditEntry, void, undefined> {
    return itemsOf((cursor) =>
      this.http.call("get", "/v1/admin/audit", { query: { ...query, cursor } }, options),
    );
  }

  listKeys(accountId: string, options?: RequestOptions): Promise<KeyList> {
    return this.http.call("get", "/v1/admin/accounts/{id}/keys", { path: { id: accountId } }, options);
  }

  /** Creates a key. Only this answer has the key's text. */
  createKey(accountId: string, key: NewKey = {}, options?: PostOptions): Promise<CreatedKey> {
    const input = { path: { id: accountId }, body: key };
    return this.http.call("post", "/v1/admin/accounts/{id}/keys", input, options);
  }

  /** Revokes a key of any account. */
  deleteKey(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.http.call("delete", "/v1/admin/keys/{id}", { path: { id } }, options);
  }

  /** Reads figures over time, of all accounts or of the one in `account`. */
  series(query: AllSeriesQuery = {}, options?: RequestOptions): Promise<Series> {
    return this.http.call("get", "/v1/admin/stats/series", { query }, options);
  }

  /** Reads every endpoint of all accounts, newest first, page by page. */
  endpoints(
    query: AllEndpointsQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<AccountEndpoint, void, undefined> {
    return itemsOf((cursor) =>
      this.http.call("get", "/v1/admin/endpoints", { query: { ...query, limit: 100, cursor } }, options),
    );
  }

  /**
   * Reads deliveries of all accounts, newest first, page by page. Continues after empty pages, which the service returns if a
   * search takes too long.
   */
  deliveries(
    query: AllDeliveriesQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<AccountDelivery, void, undefined> {
    return itemsOf((cursor) =>
      this.http.call("get", "/v1/admin/deliveries", { query: { ...query, cursor } }, options),
    );
  }

  /** Reads events of all accounts, newest first, page by page. */
  events(
    query: AllEventsQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<AccountEvent, void, undefined> {
    return itemsOf((cursor) =>
      this.http.call("get", "/v1/admin/events", { query: { ...query, cursor } }, options),
    );
  }

  /** Reads the processes of the installation, and the owner of each partition. */
  system(options?: RequestOptions): Promise<System> {
    return this.http.call("get", "/v1/admin/system", {}, options);
  }

  listPlans(options?: RequestOptions): Promise<PlanList> {
    return this.http.call("get", "/v1/admin/plans", {}, options);
  }

  putPlan(name: string, limits: PlanLimits, options?: RequestOptions): Promise<Plan> {
    return this.http.call("put", "/v1/admin/plans/{name}", { path: { name }, body: limits }, options);
  }
}
