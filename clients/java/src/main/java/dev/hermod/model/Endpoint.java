// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.List;
import java.util.Map;

public class Endpoint extends Answer {
    /** Views an answer of the service. */
    public Endpoint(Json json) {
        super(json);
    }

    /** Most deliveries of one order in a request, 1 by default. */
    public long batchSize() { return read("batch_size", Json::asLong); }

    /** The payload's {@code content-type}: {@code application/json} (the default) or {@code application/…+json}. */
    public String contentType() { return read("content_type", Json::asText); }

    public Instant createdAt() { return read("created_at", Json::asInstant); }

    /** How deliveries reach the receiver. */
    public DeliveryWay delivery() { return read("delivery", DeliveryWay::of); }

    public @Nullable String description() { return read("description", Json::asText); }

    /** The patterns of {@code event_types}, separated by commas. */
    public String eventFilter() { return read("event_filter", Json::asText); }

    public List<String> eventTypes() { return list("event_types", Json::asText); }

    public @Nullable String externalId() { return read("external_id", Json::asText); }

    public boolean feed() { return read("feed", Json::asBoolean); }

    /** The accounts that its feed reports on, {@code *} for all; null for its own. */
    public @Nullable List<String> feedAccounts() { return list("feed_accounts", Json::asText); }

    /** The condition in CEL that events must match beside their type. */
    public @Nullable String filter() { return read("filter", Json::asText); }

    /** The form of the body. */
    public BodyFormat format() { return read("format", BodyFormat::of); }

    /** The headers of requests to the endpoint, without the secret ones. */
    public Map<String, String> headers() { return map("headers", Json::asText); }

    public EndpointHealth health() { return read("health", EndpointHealth::new); }

    /** Begins with {@code ep_}. */
    public String id() { return read("id", Json::asText); }

    public boolean isActive() { return read("is_active", Json::asBoolean); }

    /** Most deliveries that are sent at the same time, 10 by default. */
    public long maxInFlight() { return read("max_in_flight", Json::asLong); }

    /** Your own notes: at most 50 texts of at most 512 characters each, with names of 1 to 64 characters. */
    public Map<String, String> metadata() { return map("metadata", Json::asText); }

    /** What happens when a delivery has used up its schedule. */
    public OnExhausted onExhausted() { return read("on_exhausted", OnExhausted::of); }

    /** Which deliveries are sent in order, one at a time. */
    public Ordering ordering() { return read("ordering", Ordering::of); }

    /** HTTP statuses that fail a delivery at once, instead of a retry. */
    public List<Long> permanentStatuses() { return list("permanent_statuses", Json::asLong); }

    /** Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one. */
    public @Nullable Double rateLimit() { return read("rate_limit", Json::asDouble); }

    /** The waits between attempts, in milliseconds, ±10 %. */
    public @Nullable List<Long> retryScheduleMs() { return list("retry_schedule_ms", Json::asLong); }

    /** The names of the secret headers. */
    public List<String> sensitiveHeaders() { return list("sensitive_headers", Json::asText); }

    /** Time limit of a whole attempt, in milliseconds. */
    public @Nullable Long timeoutMs() { return read("timeout_ms", Json::asLong); }

    /** True: requests of deliveries whose trace is sampled carry {@code traceparent} (W3C Trace Context), so that the receiver can continue the sender's trace. */
    public boolean traceparent() { return read("traceparent", Json::asBoolean); }

    /** Null with {@code delivery: pull}. */
    public @Nullable String url() { return read("url", Json::asText); }

    /** {@code hold} (the default): events published while it is inactive wait for it as pending, in order. */
    public WhileInactive whileInactive() { return read("while_inactive", WhileInactive::of); }
}
