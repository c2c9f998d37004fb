/** Code that verifies a request. Each refuses an unsigned request or one older than five minutes, and returns the payload. */
export const SNIPPETS: Readonly<Record<string, string>> = {
  TypeScript: `import { createHmac, timingSafeEqual } from "node:crypto";

const key = Buffer.from(process.env.WEBHOOK_SECRET!.replace("whsec_", ""), "base64");

// body: the bytes as they came, before any parsing
export function verify(headers: Record<string, string>, body: Buffer): unknown {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": given = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) throw new Error("too old");
  const signed = Buffer.concat([Buffer.from(\`\${id}.\${time}.\`), body]);
  const expected = createHmac("sha256", key).update(signed).digest();
  const isGenuine = given.split(" ").some((each) => {
    const signature = Buffer.from(each.replace(/^v1,/, ""), "base64");
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
  if (!isGenuine) throw new Error("not signed by this sender");
  return JSON.parse(body.toString());
}`,
  Python: `import base64, hashlib, hmac, json, os, time

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

# body: the bytes as they came, before any parsing
def verify(headers, body):
    sent_at = headers["webhook-timestamp"]
    if abs(time.time() - int(sent_at)) > 300:
        raise ValueError("too old")
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(expected, each) for each in headers["webhook-signature"].split(" ")):
        raise ValueError("not signed by this sender")
    return json.loads(body)`,
  Go: `package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Verify takes the bytes of the body as they came.
func Verify(header http.Header, body []byte) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		return err
	}
	sentAt := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return errors.New("too old")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + sentAt + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return nil
		}
	}
	return errors.New("not signed by this sender")
}`,
  Java: `import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhooks {
  private static final byte[] KEY =
      Base64.getDecoder().decode(System.getenv("WEBHOOK_SECRET").replaceFirst("^whsec_", ""));

  // body: the bytes as they came, before any parsing
  static boolean isGenuine(String id, String time, String signatures, byte[] body) throws Exception {
    if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(time)) > 300) return false;
    var signed = new ByteArrayOutputStream();
    signed.write((id + "." + time + ".").getBytes(StandardCharsets.UTF_8));
    signed.write(body);
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    var expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(signed.toByteArray()))).getBytes();
    for (var given : signatures.split(" "))
      if (MessageDigest.isEqual(expected, given.getBytes())) return true;
    return false;
  }
}`,
  Ruby: `require "base64"
require "json"
require "openssl"

KEY = Base64.decode64(ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_"))

# body: the bytes as they came, before any parsing
def verify(headers, body)
  sent_at = headers["webhook-timestamp"]
  raise "too old" if (Time.now.to_i - Integer(sent_at)).abs > 300

  signed = "#{headers["webhook-id"]}.#{sent_at}.#{body}"
  expected = "v1," + Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", KEY, signed))
  genuine = headers["webhook-signature"].split.any? { |given| OpenSSL.secure_compare(given, expected) }
  raise "not signed by this sender" unless genuine

  JSON.parse(body)
end`,
  PHP: `<?php
// $body: the bytes as they came, file_get_contents("php://input")
function verify(array $headers, string $body): mixed {
    $key = base64_decode(preg_replace("/^whsec_/", "", getenv("WEBHOOK_SECRET")));
    $time = $headers["webhook-timestamp"];
    if (abs(time() - (int) $time) > 300) throw new RuntimeException("too old");
    $signed = "{$headers["webhook-id"]}.{$time}.{$body}";
    $expected = "v1," . base64_encode(hash_hmac("sha256", $signed, $key, true));
    foreach (explode(" ", $headers["webhook-signature"]) as $given) {
        if (hash_equals($expected, $given)) return json_decode($body, flags: JSON_THROW_ON_ERROR);
    }
    throw new RuntimeException("not signed by this sender");
}`,
};
