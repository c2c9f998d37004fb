// Written by clients/generate.ts from the API document.
package dev.hermod;

import dev.hermod.model.*;

public final class Keys extends Resource {
    Keys(Transport transport) {
        super(transport);
    }

    /** List the account's keys. */
    public KeyList list() {
        return call(request("GET", "/v1/keys"), KeyList::new);
    }

    /** Create a key. */
    public CreatedKey create(RequestOption... options) {
        return call(request("POST", "/v1/keys").options(options), CreatedKey::new);
    }

    /** Create a key. */
    public CreatedKey create(CreateKey body, RequestOption... options) {
        return call(request("POST", "/v1/keys").body(body).options(options), CreatedKey::new);
    }

    /** Revoke a key. */
    public Deleted delete(String id) {
        return call(request("DELETE", "/v1/keys/{id}", id), Deleted::new);
    }

    /** Enable or disable a key. */
    public Key update(String id, UpdateKey body) {
        return call(request("PATCH", "/v1/keys/{id}", id).body(body), Key::new);
    }
}
