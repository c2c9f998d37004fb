import type { PostOptions, RequestOptions, Transport } from "../transport.ts";
import type { CreatedKey, Key, KeyList, NewKey } from "../types.ts";
import type { Deleted } from "./endpoints.ts";

/** Manages the account's own keys. */
export class Keys {
  constructor(private readonly http: Transport) {}

  list(options?: RequestOptions): Promise<KeyList> {
    return this.http.call("get", "/v1/keys", {}, options);
  }

  /** Creates a key. Only this answer has the key's text. */
  create(key: NewKey = {}, options?: PostOptions): Promise<CreatedKey> {
    return this.http.call("post", "/v1/keys", { body: key }, options);
  }

  /** Enables or disables a key. Takes effect everywhere within five seconds. */
  setActive(id: string, isActive: boolean, options?: RequestOptions): Promise<Key> {
    const input = { path: { id }, body: { is_active: isActive } };
    return this.http.call("patch", "/v1/keys/{id}", input, options);
  }

  delete(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.http.call("delete", "/v1/keys/{id}", { path: { id } }, options);
  }
}
