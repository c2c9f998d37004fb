package hermod

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error means that the service refused a request, or failed.
type Error struct {
	Status int
	// The error's code; empty if the answer came from another server, such as a proxy.
	Code    string
	Message string
	// The answer's x-request-id, by which the service's log shows the request.
	RequestID string
	// The time to wait before the next try; nil if the service names none.
	RetryAfter *time.Duration
}

func (e *Error) Error() string { return e.Message }

// UnreachableError means that there was no answer: the service is unreachable, or took longer than the timeout.
type UnreachableError struct {
	Origin string
	Cause  error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("No answer from %s: %v", e.Origin, e.Cause)
}

func (e *UnreachableError) Unwrap() error { return e.Cause }

// ArgumentError means that the request can't be sent as it is.
type ArgumentError struct{ Message string }

func (e *ArgumentError) Error() string { return e.Message }

// VerificationError means that a webhook was not signed with the endpoint's secret in the last five minutes.
type VerificationError struct{ Message string }

func (e *VerificationError) Error() string { return e.Message }

func errorOf(answer *http.Response, text []byte) *Error {
	var body struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(text, &body) != nil || body.Error.Code == "" {
		body.Error.Message = fmt.Sprintf("The answer was HTTP %d", answer.StatusCode)
	}
	return &Error{
		Status:     answer.StatusCode,
		Code:       body.Error.Code,
		Message:    body.Error.Message,
		RequestID:  answer.Header.Get("x-request-id"),
		RetryAfter: retryAfterIn(answer.Header.Get("retry-after")),
	}
}

// retryAfterIn reads seconds or, as proxies often write, a date (RFC 9110, 10.2.3).
func retryAfterIn(text string) *time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		wait := time.Duration(seconds) * time.Second
		return &wait
	}
	if at, err := http.ParseTime(text); err == nil {
		wait := max(0, time.Until(at))
		return &wait
	}
	return nil
}
