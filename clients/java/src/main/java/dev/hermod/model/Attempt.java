// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Answer;
import dev.hermod.json.Json;
import dev.hermod.json.Nullable;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;

public class Attempt extends Answer {
    /** Views an answer of the service. */
    public Attempt(Json json) {
        super(json);
    }

    /** The address and port that Hermod connected to, or tried last. */
    public @Nullable String address() { return read("address", Json::asText); }

    /** Counts from 1. */
    public long attempt() { return read("attempt", Json::asLong); }

    /** The request held {@code size} deliveries of the order, from the number {@code first_sequence} on, and {@code request_headers} are theirs. */
    public @Nullable Map<String, Json> batch() { return map("batch", Function.identity()); }

    public long durationMs() { return read("duration_ms", Json::asLong); }

    /** Why there was no complete HTTP response: {@code timeout}, {@code invalid_url}, {@code https_required}, {@code blocked_address}, {@code dns}, {@code connection_refused}, {@code connection_reset}, {@code connection_failed}, {@code tls}, {@code proxy}, {@code mail_server}, {@code protocol}, {@code response_too_large}, {@code forgery_accepted}, {@code receiver_failed}, {@code lease_expired}. */
    public @Nullable String error() { return read("error", Json::asText); }

    /** The reason, where more is known: for {@code blocked_address} {@code internal_name}, {@code recipient_not_permitted}; for {@code timeout} {@code not_connected}, {@code no_response}, {@code request_not_taken}, {@code answer_cut_short}; for {@code connection_reset} {@code request_not_taken}, {@code answer_cut_short}; for {@code dns} {@code name_not_found}, {@code no_answer}, {@code server_failure}, {@code query_refused}, {@code unreadable_answer}, {@code too_many_lookups}; for {@code connection_failed} {@code network_unreachable}, {@code host_unreachable}, {@code connection_timed_out}; for {@code tls} {@code certificate_expired}, {@code certificate_not_yet_valid}, {@code certificate_wrong_name}, {@code certificate_self_signed}, {@code certificate_unknown_authority}, {@code certificate_chain_incomplete}, {@code certificate_invalid}, {@code client_certificate_required}, {@code tls_version}, {@code http2_only}, {@code not_tls}, {@code unknown_name}, {@code handshake_refused}, {@code handshake_too_large}, {@code renegotiation}; for {@code protocol} {@code not_http}, {@code switched_protocol}, {@code status_invalid}, {@code length_invalid}, {@code chunks_invalid}, {@code too_many_fields}; for {@code proxy} {@code proxy_unreachable}, {@code proxy_credentials}, {@code proxy_timeout}, {@code tunnel_refused}; for {@code mail_server} {@code mail_server_not_set}, {@code mail_server_unreachable}, {@code mail_server_tls}, {@code mail_server_credentials}, {@code mail_server_refused}, {@code mail_server_timeout}, {@code mail_server_closed}. */
    public @Nullable String errorDetail() { return read("error_detail", Json::asText); }

    /** {@code pushed}: Hermod sent the delivery. */
    public AttemptKind kind() { return read("kind", AttemptKind::of); }

    /** The redirect's target, its first 2,048 bytes. */
    public @Nullable String location() { return read("location", Json::asText); }

    /** The headers that were sent. */
    public @Nullable Map<String, String> requestHeaders() { return map("request_headers", Json::asText); }

    /** The beginning, up to HERMOD_RESPONSE_BODY bytes: 4 KiB by default. */
    public @Nullable String responseBody() { return read("response_body", Json::asText); }

    /** The headers of the response, names in lower case, as far as they fit into 4096 characters. */
    public @Nullable Map<String, String> responseHeaders() { return map("response_headers", Json::asText); }

    /** The receiver's HTTP status, or the code of the mail server's reply to an e-mail, such as 250; 0 if there was no response. */
    public long status() { return read("status", Json::asLong); }

    public Instant timestamp() { return read("timestamp", Json::asInstant); }

    public AttemptTiming timing() { return read("timing", AttemptTiming::new); }
}
