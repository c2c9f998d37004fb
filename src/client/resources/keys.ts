import type { Methods } from "../methods.ts";
import type { RequestOptions } from "../transport.ts";
import type { Key } from "../types.ts";

/** Manages the account's own keys. */
export const keysOf = ({ http, call, send }: Methods) => ({
  list: call("get", "/v1/keys"),
  /** Creates a key. Only this answer has the key's text. */
  create: send("post", "/v1/keys"),
  update: send("patch", "/v1/keys/{id}"),
  /** Enables or disables a key. Takes effect everywhere within five seconds. */
  setActive(id: string, isActive: boolean, options?: RequestOptions): Promise<Key> {
    return http.call("patch", "/v1/keys/{id}", { path: { id }, body: { is_active: isActive } }, options);
  },
  delete: call("delete", "/v1/keys/{id}"),
});
