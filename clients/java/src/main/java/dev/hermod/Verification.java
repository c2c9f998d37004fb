package dev.hermod;

import dev.hermod.json.Json;
import dev.hermod.json.JsonException;
import dev.hermod.json.Nullable;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies webhooks by Standard Webhooks. */
final class Verification {
    private static final String PREFIX = "whsec_";
    private static final int MOST_DIGITS = 15;

    private Verification() {}

    static VerifiedWebhook of(byte[] body, UnaryOperator<String> header, List<String> secrets, Duration tolerance) {
        var id = required(header, "webhook-id");
        var sentAt = required(header, "webhook-timestamp");
        var signatures = required(header, "webhook-signature").split(" ");
        var seconds = countIn(sentAt);
        if (seconds == null) throw new WebhookVerificationException("webhook-timestamp is no time in seconds");
        var timestamp = Instant.ofEpochSecond(seconds);
        if (Duration.between(timestamp, Instant.now()).abs().compareTo(tolerance) > 0)
            throw new WebhookVerificationException("webhook-timestamp is more than " + tolerance.toSeconds() + " s away from this clock");
        var head = (id + "." + sentAt + ".").getBytes(StandardCharsets.UTF_8);
        if (secrets.stream().noneMatch(secret -> isSigned(head, body, signatures, secret)))
            throw new WebhookVerificationException("webhook-signature fits none of the secrets");
        return new VerifiedWebhook(
                id,
                textIn(header.apply("webhook-event")),
                textIn(header.apply("webhook-ordering-key")),
                timestamp,
                countIn(header.apply("webhook-attempt")),
                countIn(header.apply("webhook-sequence")),
                dataIn(body));
    }

    static List<VerifiedWebhook> ofBatch(VerifiedWebhook request) {
        try {
            return request.data().items().stream().map(each -> envelopeIn(each, request)).toList();
        } catch (JsonException none) {
            throw new WebhookVerificationException("The body is no list of envelopes");
        }
    }

    private static VerifiedWebhook envelopeIn(Json envelope, VerifiedWebhook request) {
        return new VerifiedWebhook(
                envelope.get("id").asText(),
                textOrNull(envelope.get("type")),
                textOrNull(envelope.get("ordering_key")),
                request.timestamp(),
                request.attempt(),
                envelope.get("sequence").asLong(),
                envelope.get("data"));
    }

    private static @Nullable String textOrNull(Json text) {
        return text.isNull() ? null : text.asText();
    }

    private static String required(UnaryOperator<String> header, String name) {
        var value = header.apply(name);
        if (value == null || value.isEmpty()) throw new WebhookVerificationException("The header " + name + " is missing");
        return value;
    }

    private static boolean isSigned(byte[] head, byte[] body, String[] signatures, String secret) {
        var expected = ("v1," + signatureOf(head, body, secret)).getBytes(StandardCharsets.UTF_8);
        boolean isFound = false;
        for (var each : signatures) isFound |= MessageDigest.isEqual(expected, each.getBytes(StandardCharsets.UTF_8));
        return isFound;
    }

    private static String signatureOf(byte[] head, byte[] body, String secret) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(keyIn(secret), "HmacSHA256"));
            mac.update(head);
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("This Java has no HmacSHA256", missing);
        }
    }

    private static byte[] keyIn(String secret) {
        var text = secret.startsWith(PREFIX) ? secret.substring(PREFIX.length()) : secret;
        try {
            // Everybody knows the empty key.
            if (!text.isEmpty()) return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException notBase64) {
            // The message below says so.
        }
        throw new WebhookVerificationException("A secret must be base64 behind " + PREFIX + ", and not empty");
    }

    private static Json dataIn(byte[] body) {
        try {
            return Json.parse(new String(body, StandardCharsets.UTF_8));
        } catch (JsonException broken) {
            throw new WebhookVerificationException("The body is not JSON");
        }
    }

    /** Decodes percent-encoding. Leaves an invalid text, because the header is not signed and may contain anything. */
    private static @Nullable String textIn(@Nullable String text) {
        if (text == null) return null;
        try {
            var decoded = URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
            return decoded.indexOf('\uFFFD') == -1 ? decoded : text;
        } catch (IllegalArgumentException invalid) {
            return text;
        }
    }

    private static @Nullable Long countIn(@Nullable String text) {
        boolean isCount = text != null && !text.isEmpty() && text.length() <= MOST_DIGITS
                && text.chars().allMatch(each -> each >= '0' && each <= '9');
        return isCount ? Long.valueOf(text) : null;
    }
}
