// Package hermod is the client of Hermod, the webhook delivery service.
package hermod

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config has the address and the key of a service. Its other fields have defaults.
type Config struct {
	// The service's address, such as http://127.0.0.1:3000; /v1 may follow.
	URL string
	// An API key or a JWT.
	Key string
	// Acts for another account, given by its id or external_id. Needs the permission admin.
	Account string
	// Timeout of each try, 30 s by default.
	Timeout time.Duration
	// Most retries of a request that is safe to repeat: 4 by default, none if negative.
	MaxRetries int
	// Makes the Idempotency-Key of each POST without one.
	NewIdempotencyKey func() string
	// Sends the requests, http.DefaultTransport by default.
	Transport http.RoundTripper
}

// New makes a client. Its methods return an *Error if the service refuses, and an *UnreachableError if there is no answer, after
// several tries of requests that are safe to repeat: reads, PUT, DELETE, and POST with an Idempotency-Key.
func New(config Config) (*Client, error) {
	parsed, err := url.Parse(config.URL)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, &ArgumentError{"URL must begin with http:// or https://"}
	}
	if config.Timeout == 0 {
		config.Timeout = 30 * time.Second
	}
	if config.MaxRetries == 0 {
		config.MaxRetries = 4
	}
	http := &http.Client{
		Transport:     config.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	origin := strings.TrimSuffix(strings.TrimRight(config.URL, "/"), "/v1")
	return clientOf(&transport{config: config, origin: origin, http: http}), nil
}

// Option changes one request.
type Option func(*request)

// IdempotencyKey makes a POST safe to repeat for 24 hours. A POST is retried only with a key.
func IdempotencyKey(key string) Option { return func(r *request) { r.key = key } }
