// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;
import java.util.List;

public final class CreatePortalSession extends Input {
    /** The account's id or external id. */
    public CreatePortalSession account(@Nullable String account) { return with(this, "account", account); }

    /** What the session may do: see endpoints and deliveries, change endpoints, retry and resend, see payloads and answers, send test events. */
    public CreatePortalSession capabilities(List<RequestedCapability> capabilities) { return with(this, "capabilities", capabilities); }

    /** The endpoints that the session sees. */
    public CreatePortalSession endpointIds(@Nullable List<String> endpointIds) { return with(this, "endpoint_ids", endpointIds); }

    /** An upper bound, as patterns like those of an endpoint's {@code event_types}: the session can't let an endpoint get other event types, and sees, searches and resends no payloads of others. */
    public CreatePortalSession eventTypes(@Nullable List<String> eventTypes) { return with(this, "event_types", eventTypes); }

    public CreatePortalSession locale(@Nullable String locale) { return with(this, "locale", locale); }

    /** The origin of the page that embeds the portal, one of {@code HERMOD_PORTAL_ORIGINS}. */
    public CreatePortalSession origin(@Nullable String origin) { return with(this, "origin", origin); }

    public CreatePortalSession productName(@Nullable String productName) { return with(this, "product_name", productName); }

    public CreatePortalSession theme(PortalTheme theme) { return with(this, "theme", theme); }

    /** The duration of the session from its opening, in seconds. */
    public CreatePortalSession ttl(@Nullable Long ttl) { return with(this, "ttl", ttl); }

    /** The duration of the session from its opening, in seconds. */
    public CreatePortalSession ttl(long ttl) { return with(this, "ttl", ttl); }
}
