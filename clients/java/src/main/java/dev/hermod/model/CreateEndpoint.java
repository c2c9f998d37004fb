// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;
import java.util.List;
import java.util.Map;

public final class CreateEndpoint extends Input {
    /** Most deliveries of one order in a request, 1 by default. */
    public CreateEndpoint batchSize(@Nullable Long batchSize) { return with(this, "batch_size", batchSize); }

    /** Most deliveries of one order in a request, 1 by default. */
    public CreateEndpoint batchSize(long batchSize) { return with(this, "batch_size", batchSize); }

    /** The payload's {@code content-type}: {@code application/json} (the default) or {@code application/…+json}. */
    public CreateEndpoint contentType(@Nullable String contentType) { return with(this, "content_type", contentType); }

    /** How deliveries reach the receiver. */
    public CreateEndpoint delivery(@Nullable DeliveryWay delivery) { return with(this, "delivery", delivery); }

    public CreateEndpoint description(@Nullable String description) { return with(this, "description", description); }

    /** The events that it gets: an exact event type, {@code <resource>.*}, or {@code *} for all; several with commas between them. */
    public CreateEndpoint eventFilter(@Nullable String eventFilter) { return with(this, "event_filter", eventFilter); }

    /** The same filter as a list; here event types may contain commas. */
    public CreateEndpoint eventTypes(@Nullable List<String> eventTypes) { return with(this, "event_types", eventTypes); }

    /** Your own id, which must be unique. */
    public CreateEndpoint externalId(@Nullable String externalId) { return with(this, "external_id", externalId); }

    /** True if the endpoint receives the account's feed: Hermod's reports about its own work (see {@code FeedEvent}) that match the filter. */
    public CreateEndpoint feed(@Nullable Boolean feed) { return with(this, "feed", feed); }

    /** Makes it a feed of the installation, with {@code feed: true}: it reports on the accounts with these ids, or with {@code *} on all. */
    public CreateEndpoint feedAccounts(@Nullable List<String> feedAccounts) { return with(this, "feed_accounts", feedAccounts); }

    /** A condition on events in [CEL](https://cel.dev), beside their type: {@code data.amount > 100 && data.customer == metadata.customer}. */
    public CreateEndpoint filter(@Nullable String filter) { return with(this, "filter", filter); }

    /** The form of the body. */
    public CreateEndpoint format(@Nullable BodyFormat format) { return with(this, "format", format); }

    /** Headers of every request to the endpoint, from the next attempt on. */
    public CreateEndpoint headers(@Nullable Map<String, String> headers) { return with(this, "headers", headers); }

    /** True if Hermod sends its deliveries. */
    public CreateEndpoint isActive(@Nullable Boolean isActive) { return with(this, "is_active", isActive); }

    /** Most deliveries that are sent at the same time, 10 by default. */
    public CreateEndpoint maxInFlight(@Nullable Long maxInFlight) { return with(this, "max_in_flight", maxInFlight); }

    /** Most deliveries that are sent at the same time, 10 by default. */
    public CreateEndpoint maxInFlight(long maxInFlight) { return with(this, "max_in_flight", maxInFlight); }

    /** Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. */
    public CreateEndpoint metadata(@Nullable Map<String, String> metadata) { return with(this, "metadata", metadata); }

    /** What happens when a delivery has used up its schedule. */
    public CreateEndpoint onExhausted(@Nullable OnExhausted onExhausted) { return with(this, "on_exhausted", onExhausted); }

    /** Which deliveries are sent in order, one at a time. */
    public CreateEndpoint ordering(@Nullable Ordering ordering) { return with(this, "ordering", ordering); }

    /** HTTP statuses that fail a delivery at once, instead of a retry. */
    public CreateEndpoint permanentStatuses(@Nullable List<? extends Number> permanentStatuses) { return with(this, "permanent_statuses", permanentStatuses); }

    /** Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one. */
    public CreateEndpoint rateLimit(@Nullable Double rateLimit) { return with(this, "rate_limit", rateLimit); }

    /** Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one. */
    public CreateEndpoint rateLimit(double rateLimit) { return with(this, "rate_limit", rateLimit); }

    /** The waits between attempts, in milliseconds, ±10 %. */
    public CreateEndpoint retryScheduleMs(@Nullable List<? extends Number> retryScheduleMs) { return with(this, "retry_schedule_ms", retryScheduleMs); }

    /** The names in {@code headers} whose values are secret: stored encrypted, never shown. */
    public CreateEndpoint sensitiveHeaders(@Nullable List<String> sensitiveHeaders) { return with(this, "sensitive_headers", sensitiveHeaders); }

    /** A secret that the receiver already has, for example when you migrate to Hermod: {@code whsec_} and the base64 (with padding) of 24 to 64 random bytes. */
    public CreateEndpoint signingSecret(@Nullable String signingSecret) { return with(this, "signing_secret", signingSecret); }

    /** Time limit of a whole attempt, in milliseconds. */
    public CreateEndpoint timeoutMs(@Nullable Long timeoutMs) { return with(this, "timeout_ms", timeoutMs); }

    /** Time limit of a whole attempt, in milliseconds. */
    public CreateEndpoint timeoutMs(long timeoutMs) { return with(this, "timeout_ms", timeoutMs); }

    /** True: requests of deliveries whose trace is sampled carry {@code traceparent} (W3C Trace Context), so that the receiver can continue the sender's trace. */
    public CreateEndpoint traceparent(@Nullable Boolean traceparent) { return with(this, "traceparent", traceparent); }

    /** Where deliveries are sent: an http or https URL. */
    public CreateEndpoint url(String url) { return with(this, "url", url); }

    /** {@code hold} (the default): events published while it is inactive wait for it as pending, in order. */
    public CreateEndpoint whileInactive(@Nullable WhileInactive whileInactive) { return with(this, "while_inactive", whileInactive); }
}
