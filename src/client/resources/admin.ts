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
   * Creates the account with this external id, or changes it. Fields that are left out stay as they are. Other methods
   * accept `~` and the external id in place of an id.
   */
  putAccount(externalId: string, account: AccountSettings, options?: RequestOptions): Promise<Account> {
    const input = { path: { id: `~${externalId}` }, body: account };
    return this.http.call("put", "/v1/admin/accounts/{id}", input, options);
  }

  updateAccount(id: string, changes: AccountChanges, options?: RequestOptions): Promise<Account> {
    return this.http.call("patch", "/v1/admin/accounts/{id}", { path: { id }, body: changes }, options);
  }

  /** Lists who changed what in all accounts, newest first, page by page. */
  audit(query: AuditQuery = {}, options?: RequestOptions): AsyncGenerator<AuditEntry, void, undefined> {
    return itemsOf((cursor) =>
      this.http.call("get", "/v1/admin/audit", { query: { ...query, cursor } }, options),
    );
  }

  listKeys(accountId: string, options?: RequestOptions): Promise<KeyList> {
    return this.http.call("get", "/v1/admin/accounts/{id}/keys", { path: { id: accountId } }, options);
  }

  /** Creates a key. The answer is the only one with the key's text. */
  createKey(accountId: string, key: NewKey = {}, options?: PostOptions): Promise<CreatedKey> {
    const input = { path: { id: accountId }, body: key };
    return this.http.call("post", "/v1/admin/accounts/{id}/keys", input, options);
  }

  /** Revokes a key of any account. */
  deleteKey(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.http.call("delete", "/v1/admin/keys/{id}", { path: { id } }, options);
  }

  /** Reads figures over time of all accounts, or of the one in `account`. */
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
   * Reads deliveries of all accounts, newest first, page by page. A page may be empty though more follow, when a search
   * takes longer than a second; this reads on.
   */
  deliveries(
    query: AllDeliveriesQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<AccountDelivery, void, undefined> {
    return itemsOf((cursor) =>
      this.http.call("get", "/v1/admin/deliveries", { query: { ...query, cursor } }, options),
    );
  }

  /** Reads events of all accounts, like `deliveries`. */
  events(
    query: AllEventsQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<AccountEvent, void, undefined> {
    return itemsOf((cursor) =>
      this.http.call("get", "/v1/admin/events", { query: { ...query, cursor } }, options),
    );
  }

  /** Shows the processes of the installation, and who owns which partition. */
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
