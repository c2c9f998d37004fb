import base64
import hmac
import time

TOLERANCE_SECONDS = 300


def is_genuine(body, id, timestamp, signatures, secrets, now=None):
    """Returns whether one of the secrets signed this body within five minutes of now. Call it before you parse the body, in Flask:

    is_genuine(
        request.get_data(),
        request.headers.get("webhook-id", ""),
        request.headers.get("webhook-timestamp", ""),
        request.headers.get("webhook-signature", ""),
        os.environ["WEBHOOK_SECRET"].split(),  # several while one is being replaced
    )
    """
    if not id or not (timestamp.isascii() and timestamp.isdecimal()) or len(timestamp) > 15:
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    content = f"{id}.{timestamp}.".encode() + body
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        expected = b"v1," + base64.b64encode(hmac.digest(key, content, "sha256"))
        # Everybody knows the empty key.
        if key and any(hmac.compare_digest(expected, each.encode()) for each in signatures.split()):
            return True
    return False
