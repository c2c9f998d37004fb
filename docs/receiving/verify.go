package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// IsGenuine returns whether one of the secrets signed this body within five minutes of now. Call it before you parse the body:
//
//	header := request.Header
//	IsGenuine(
//		body,
//		header.Get("webhook-id"), header.Get("webhook-timestamp"), header.Get("webhook-signature"),
//		strings.Fields(os.Getenv("WEBHOOK_SECRET")), // several while one is being replaced
//		time.Now(),
//	)
func IsGenuine(body []byte, id, timestamp, signatures string, secrets []string, now time.Time) bool {
	seconds, err := strconv.ParseUint(timestamp, 10, 50)
	if id == "" || err != nil || now.Sub(time.Unix(int64(seconds), 0)).Abs() > 5*time.Minute {
		return false
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		mac := hmac.New(sha256.New, key)
		mac.Write(append([]byte(id+"."+timestamp+"."), body...))
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, signature := range strings.Fields(signatures) {
			// Everybody knows the empty key.
			if err == nil && len(key) > 0 && hmac.Equal([]byte(signature), []byte(expected)) {
				return true
			}
		}
	}
	return false
}
