package hermod

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	// The first wait if the service names none. Doubles each time.
	firstWait   = 200 * time.Millisecond
	longestWait = 10 * time.Second
	// The longest Retry-After that the client waits for. Beyond it the caller gets the error.
	longestRetryAfter = time.Minute
)

// waitBeforeRetry returns the wait before the next try; false for no retry.
func waitBeforeRetry(err error, retries, most int) (time.Duration, bool) {
	if retries >= most {
		return 0, false
	}
	// Full jitter, so that clients that failed together do not come back together.
	backoff := time.Duration(rand.Float64() * float64(min(longestWait, firstWait<<min(retries, 10))))
	var refusal *Error
	if !errors.As(err, &refusal) {
		var unreachable *UnreachableError
		return backoff, errors.As(err, &unreachable)
	}
	switch refusal.Status {
	case 429, 502, 503, 504:
	default:
		return 0, false
	}
	if refusal.RetryAfter == nil {
		return backoff, true
	}
	return *refusal.RetryAfter + backoff, *refusal.RetryAfter <= longestRetryAfter
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
