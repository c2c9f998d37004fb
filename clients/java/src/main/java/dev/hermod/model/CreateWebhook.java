// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;

public final class CreateWebhook extends Input {
    /** The payload, any JSON value. */
    public CreateWebhook data(@Nullable Object data) { return with(this, "data", data); }

    /** When to send it: seconds from now, such as {@code 3600}, or an ISO 8601 timestamp, at most 30 days ahead and within HERMOD_RETENTION. */
    public CreateWebhook deliverAfter(@Nullable String deliverAfter) { return with(this, "deliver_after", deliverAfter); }

    public CreateWebhook endpointId(String endpointId) { return with(this, "endpoint_id", endpointId); }

    public CreateWebhook event(@Nullable String event) { return with(this, "event", event); }

    /** Groups deliveries, for example by a customer's id. */
    public CreateWebhook orderingKey(@Nullable String orderingKey) { return with(this, "ordering_key", orderingKey); }
}
