// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import dev.hermod.json.Nullable;
import java.util.List;
import java.util.Map;

public final class EndpointUpsert extends Input {
    /** Most deliveries of one order in a request, 1 by default. */
    public EndpointUpsert batchSize(long batchSize) { return with(this, "batch_size", batchSize); }

    /** The payload's {@code content-type}: {@code application/json} (the default) or {@code application/…+json}. */
    public EndpointUpsert contentType(String contentType) { return with(this, "content_type", contentType); }

    /** How deliveries reach the receiver. */
    public EndpointUpsert delivery(DeliveryWay delivery) { return with(this, "delivery", delivery); }

    public EndpointUpsert description(@Nullable String description) { return with(this, "description", description); }

    /** The events that it gets: an exact event type, {@code <resource>.*}, or {@code *} for all; several with commas between them. */
    public EndpointUpsert eventFilter(String eventFilter) { return with(this, "event_filter", eventFilter); }

    /** The same filter as a list; here event types may contain commas. */
    public EndpointUpsert eventTypes(List<String> eventTypes) { return with(this, "event_types", eventTypes); }

    /** True if the endpoint receives the account's feed: Hermod's reports about its own work (see {@code FeedEvent}) that match the filter. */
    public EndpointUpsert feed(boolean feed) { return with(this, "feed", feed); }

    /** Makes it a feed of the installation, with {@code feed: true}: it reports on the accounts with these ids, or with {@code *} on all. */
    public EndpointUpsert feedAccounts(@Nullable List<String> feedAccounts) { return with(this, "feed_accounts", feedAccounts); }

    /** A condition on events in [CEL](https://cel.dev), beside their type: {@code data.amount > 100 && data.customer == metadata.customer}. */
    public EndpointUpsert filter(@Nullable String filter) { return with(this, "filter", filter); }

    /** The form of the body. */
    public EndpointUpsert format(BodyFormat format) { return with(this, "format", format); }

    /** Headers of every request to the endpoint, from the next attempt on. */
    public EndpointUpsert headers(@Nullable Map<String, String> headers) { return with(this, "headers", headers); }

    /** True if Hermod sends its deliveries. */
    public EndpointUpsert isActive(boolean isActive) { return with(this, "is_active", isActive); }

    /** Most deliveries that are sent at the same time, 10 by default. */
    public EndpointUpsert maxInFlight(long maxInFlight) { return with(this, "max_in_flight", maxInFlight); }

    /** Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. */
    public EndpointUpsert metadata(Map<String, String> metadata) { return with(this, "metadata", metadata); }

    /** What happens when a delivery has used up its schedule. */
    public EndpointUpsert onExhausted(OnExhausted onExhausted) { return with(this, "on_exhausted", onExhausted); }

    /** Which deliveries are sent in order, one at a time. */
    public EndpointUpsert ordering(Ordering ordering) { return with(this, "ordering", ordering); }

    /** HTTP statuses that fail a delivery at once, instead of a retry. */
    public EndpointUpsert permanentStatuses(List<? extends Number> permanentStatuses) { return with(this, "permanent_statuses", permanentStatuses); }

    /** Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one. */
    public EndpointUpsert rateLimit(@Nullable Double rateLimit) { return with(this, "rate_limit", rateLimit); }

    /** Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one. */
    public EndpointUpsert rateLimit(double rateLimit) { return with(this, "rate_limit", rateLimit); }

    /** The waits between attempts, in milliseconds, ±10 %. */
    public EndpointUpsert retryScheduleMs(@Nullable List<? extends Number> retryScheduleMs) { return with(this, "retry_schedule_ms", retryScheduleMs); }

    /** The names in {@code headers} whose values are secret: stored encrypted, never shown. */
    public EndpointUpsert sensitiveHeaders(List<String> sensitiveHeaders) { return with(this, "sensitive_headers", sensitiveHeaders); }

    /** Time limit of a whole attempt, in milliseconds. */
    public EndpointUpsert timeoutMs(@Nullable Long timeoutMs) { return with(this, "timeout_ms", timeoutMs); }

    /** Time limit of a whole attempt, in milliseconds. */
    public EndpointUpsert timeoutMs(long timeoutMs) { return with(this, "timeout_ms", timeoutMs); }

    /** True: requests of deliveries whose trace is sampled carry {@code traceparent} (W3C Trace Context), so that the receiver can continue the sender's trace. */
    public EndpointUpsert traceparent(boolean traceparent) { return with(this, "traceparent", traceparent); }

    /** Where deliveries are sent: an http or https URL. */
    public EndpointUpsert url(@Nullable String url) { return with(this, "url", url); }

    /** {@code hold} (the default): events published while it is inactive wait for it as pending, in order. */
    public EndpointUpsert whileInactive(WhileInactive whileInactive) { return with(this, "while_inactive", whileInactive); }
}
