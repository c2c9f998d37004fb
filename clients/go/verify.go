package hermod

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Tolerance is what the sender's clock and the way may take, in both directions.
const Tolerance = 5 * time.Minute

// VerifiedWebhook has a valid signature.
type VerifiedWebhook struct {
	// The delivery's id, the same for all its attempts. Receivers recognise repeats by it.
	ID          string  `json:"id"`
	Event       *string `json:"event"`
	OrderingKey *string `json:"ordering_key"`
	// The time of this attempt.
	Timestamp time.Time `json:"timestamp"`
	// The number of the attempt, from 1.
	Attempt *int64 `json:"attempt"`
	// The delivery's number at its endpoint.
	Sequence *int64          `json:"sequence"`
	Data     json.RawMessage `json:"data"`
}

// Verify verifies a webhook by Standard Webhooks, and reads it. Needs the body exactly as it arrived, and a signature by one of the
// secrets that is at most five minutes old. Returns a *VerificationError.
func Verify(body []byte, header http.Header, secrets ...string) (*VerifiedWebhook, error) {
	id, sentAt, signatures := header.Get("webhook-id"), header.Get("webhook-timestamp"), header.Get("webhook-signature")
	if id == "" || sentAt == "" || signatures == "" {
		return nil, &VerificationError{"webhook-id, webhook-timestamp or webhook-signature is missing"}
	}
	seconds := countIn(sentAt)
	if seconds == nil {
		return nil, &VerificationError{"webhook-timestamp is no time in seconds"}
	}
	timestamp := time.Unix(*seconds, 0)
	if age := time.Since(timestamp); age > Tolerance || age < -Tolerance {
		return nil, &VerificationError{fmt.Sprintf("webhook-timestamp is more than %v away from this clock", Tolerance)}
	}
	if !isSigned(id+"."+sentAt+".", body, signatures, secrets) {
		return nil, &VerificationError{"webhook-signature fits none of the secrets"}
	}
	if !json.Valid(body) {
		return nil, &VerificationError{"The body is not JSON"}
	}
	return &VerifiedWebhook{
		ID:          id,
		Event:       textIn(header, "webhook-event"),
		OrderingKey: textIn(header, "webhook-ordering-key"),
		Timestamp:   timestamp,
		Attempt:     countIn(header.Get("webhook-attempt")),
		Sequence:    countIn(header.Get("webhook-sequence")),
		Data:        body,
	}, nil
}

func isSigned(head string, body []byte, signatures string, secrets []string) bool {
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		// Everybody knows the empty key.
		if err != nil || len(key) == 0 {
			continue
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(head))
		mac.Write(body)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, signature := range strings.Split(signatures, " ") {
			if hmac.Equal(expected, []byte(signature)) {
				return true
			}
		}
	}
	return false
}

// textIn decodes percent-encoding. Leaves an invalid text, because the header is not signed and may contain anything.
func textIn(header http.Header, name string) *string {
	text := header.Get(name)
	if text == "" {
		return nil
	}
	if decoded, err := url.PathUnescape(text); err == nil && utf8.ValidString(decoded) {
		return &decoded
	}
	return &text
}

func countIn(text string) *int64 {
	count, err := strconv.ParseUint(text, 10, 52)
	if err != nil {
		return nil
	}
	number := int64(count)
	return &number
}
