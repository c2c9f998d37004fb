import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhooks {
    private static final long TOLERANCE_SECONDS = 300;

    /**
     * Returns whether one of the secrets signed this body within five minutes of now. Call it before you parse the body:
     *
     * <pre>isGenuine(
     *     request.getInputStream().readAllBytes(),
     *     request.getHeader("webhook-id"),
     *     request.getHeader("webhook-timestamp"),
     *     request.getHeader("webhook-signature"),
     *     System.getenv("WEBHOOK_SECRET").split(" "), // several while one is being replaced
     *     System.currentTimeMillis() / 1000)</pre>
     */
    static boolean isGenuine(byte[] body, String id, String timestamp, String signatures, String[] secrets, long now)
            throws GeneralSecurityException {
        if (id == null || id.isEmpty() || timestamp == null || !timestamp.matches("[0-9]{1,15}") || signatures == null) return false;
        if (Math.abs(now - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
        for (var secret : secrets) {
            var key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
            if (key.length == 0) continue; // everybody knows the empty key
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            var expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
            for (var signature : signatures.split(" "))
                if (MessageDigest.isEqual(expected, signature.getBytes())) return true;
        }
        return false;
    }
}
