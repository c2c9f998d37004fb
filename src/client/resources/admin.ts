import type { Methods } from "../methods.ts";
import type { RequestOptions } from "../transport.ts";
import type { Account, AccountSettings } from "../types.ts";

/** Manages accounts, their keys and plans. Needs the permission `admin`. */
export const adminOf = ({ http, call, send, find, all, every }: Methods) => ({
  createAccount: send("post", "/v1/admin/accounts"),
  getAccount: call("get", "/v1/admin/accounts/{id}"),
  /** Reads a page, newest first. */
  listAccounts: find("/v1/admin/accounts"),
  /** Reads every account, page by page. */
  allAccounts: every("/v1/admin/accounts"),
  /**
   * Creates the account with this external id, or changes it. Absent fields stay unchanged. Other methods accept `~` and the
   * external id in place of an id.
   */
  putAccount(externalId: string, account: AccountSettings, options?: RequestOptions): Promise<Account> {
    const input = { path: { id: `~${externalId}` }, body: account };
    return http.call("put", "/v1/admin/accounts/{id}", input, options);
  },
  updateAccount: send("patch", "/v1/admin/accounts/{id}"),
  /** Reads a page of the changes in all accounts with their keys or persons, newest first. */
  listAudit: find("/v1/admin/audit"),
  /** Reads every change in all accounts, newest first, page by page. */
  allAudit: all("/v1/admin/audit"),
  listAccountKeys: call("get", "/v1/admin/accounts/{id}/keys"),
  /** Creates a key. Only this answer has the key's text. */
  createAccountKey: send("post", "/v1/admin/accounts/{id}/keys"),
  /** Revokes a key of any account. */
  deleteKey: call("delete", "/v1/admin/keys/{id}"),
  /** Reads figures over time, of all accounts or of the one in `account`. */
  statsSeries: find("/v1/admin/stats/series"),
  listEndpoints: find("/v1/admin/endpoints"),
  /** Reads every endpoint of all accounts, newest first, page by page. */
  allEndpoints: all("/v1/admin/endpoints"),
  listDeliveries: find("/v1/admin/deliveries"),
  /**
   * Reads deliveries of all accounts, newest first, page by page. Continues after empty pages, which the service returns if a
   * search takes too long.
   */
  allDeliveries: all("/v1/admin/deliveries"),
  listEvents: find("/v1/admin/events"),
  /** Reads events of all accounts, newest first, page by page. */
  allEvents: all("/v1/admin/events"),
  /** Reads the processes of the installation, and the owner of each partition. */
  system: call("get", "/v1/admin/system"),
  /** Lists the cells of a router, or the cell that answers; empty in an installation without cells. */
  listCells: call("get", "/v1/admin/cells"),
  /** Lets a cell accept new accounts, or not. */
  updateCell: send("patch", "/v1/admin/cells/{name}"),
  getEventType: call("get", "/v1/admin/event-types/{name}"),
  /** Reads a page of the event types that every account sees, newest first. */
  listEventTypes: find("/v1/admin/event-types"),
  /** Reads all event types that every account sees, page by page. */
  allEventTypes: every("/v1/admin/event-types"),
  putEventType: send("put", "/v1/admin/event-types/{name}"),
  putSchema: send("put", "/v1/admin/event-types/{name}/schema"),
  deleteSchema: call("delete", "/v1/admin/event-types/{name}/schema"),
  importCatalogue: send("post", "/v1/admin/catalogue/import"),
  listPlans: call("get", "/v1/admin/plans"),
  putPlan: send("put", "/v1/admin/plans/{name}"),
});
