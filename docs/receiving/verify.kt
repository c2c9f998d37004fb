import java.security.MessageDigest
import java.time.Instant
import java.util.Base64
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec
import kotlin.math.abs

private const val TOLERANCE_SECONDS = 300

/**
 * Returns whether one of the secrets signed this body within five minutes of now. Call it before you parse the body. Give several
 * secrets while one is being replaced.
 */
fun isGenuine(
    body: ByteArray,
    id: String?,
    timestamp: String?,
    signatures: String?,
    secrets: List<String>,
    now: Instant = Instant.now(),
): Boolean {
    if (id.isNullOrEmpty() || timestamp.isNullOrEmpty() || signatures == null) return false
    if (timestamp.length > 15 || !timestamp.all { it in '0'..'9' }) return false
    if (abs(now.epochSecond - timestamp.toLong()) > TOLERANCE_SECONDS) return false
    val content = "$id.$timestamp.".toByteArray() + body
    return secrets.any { secret ->
        val key = Base64.getDecoder().decode(secret.removePrefix("whsec_"))
        if (key.isEmpty()) return@any false // everybody knows the empty key
        val mac = Mac.getInstance("HmacSHA256").apply { init(SecretKeySpec(key, "HmacSHA256")) }
        val expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(content))
        // Compares in constant time.
        signatures.split(' ').any { MessageDigest.isEqual(expected.toByteArray(), it.toByteArray()) }
    }
}
