package hermod

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

type transport struct {
	config Config
	origin string
	http   *http.Client
}

type request struct {
	method string
	// The route, with names in braces.
	path string
	// The values of these names, in their order.
	ids []string
	// A struct whose fields are parameters.
	query any
	body  any
	key   string
	// True if it is safe to repeat although its method says otherwise.
	repeats bool
	// The timeout beyond the one of the client, for a request that the service lets wait.
	patience time.Duration
}

// call sends a request, and repeats one that is safe to repeat after 429, 502, 503, 504 and no answer.
func call[T any](ctx context.Context, t *transport, r request, options ...Option) (*T, error) {
	for _, option := range options {
		option(&r)
	}
	text, err := t.insist(ctx, t.keyed(r), t.config.MaxRetries)
	if err != nil {
		return nil, err
	}
	answer := new(T)
	if err := json.Unmarshal(text, answer); err != nil {
		return nil, &UnreachableError{t.origin, fmt.Errorf("the answer is not JSON of its type: %w", err)}
	}
	return answer, nil
}

// items yields the items of a list, and reads each page when it is needed.
func items[T any](ctx context.Context, t *transport, r request) iter.Seq2[T, error] {
	type page struct {
		Data   []T     `json:"data"`
		Cursor *string `json:"cursor"`
	}
	return func(yield func(T, error) bool) {
		query, err := parametersOf(r.query)
		if !query.Has("limit") {
			query.Set("limit", "100")
		}
		for err == nil {
			var read *page
			if read, err = call[page](ctx, t, request{method: r.method, path: r.path, ids: r.ids, query: query}); err != nil {
				break
			}
			for _, item := range read.Data {
				if !yield(item, nil) {
					return
				}
			}
			if read.Cursor == nil {
				return
			}
			query.Set("cursor", *read.Cursor)
		}
		var none T
		yield(none, err)
	}
}

// keyed gives a POST its Idempotency-Key, once for all its tries.
func (t *transport) keyed(r request) request {
	switch {
	case r.key != "" || r.repeats:
	case r.method == "POST" && t.config.NewIdempotencyKey != nil:
		r.key = t.config.NewIdempotencyKey()
	case r.method == "PUT" && r.path == "/v1/endpoints/{id}":
		// Without a key, a retry after a lost answer would change the new endpoint, and its secret would be lost.
		r.key = rand.Text()
	}
	return r
}

func (r request) isRepeatable() bool {
	// A repeated PATCH could overwrite another client's change, so the caller must repeat it.
	if r.method == "POST" {
		return r.repeats || r.key != ""
	}
	return r.method != "PATCH"
}

func (t *transport) insist(ctx context.Context, r request, most int) ([]byte, error) {
	target, err := r.target()
	if err != nil {
		return nil, err
	}
	var body []byte
	if r.body != nil {
		if body, err = encode(r.body); err != nil {
			return nil, &ArgumentError{err.Error()}
		}
	}
	for retries := 0; ; retries++ {
		text, err := t.try(ctx, r, target, body)
		if err == nil || ctx.Err() != nil {
			return text, errors.Join(err, ctx.Err())
		}
		wait, again := waitBeforeRetry(err, retries, most)
		if !again || !r.isRepeatable() {
			return nil, err
		}
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

func (t *transport) try(ctx context.Context, r request, target string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, t.config.Timeout+r.patience)
	defer cancel()
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, t.origin+target, content)
	if err != nil {
		return nil, &ArgumentError{err.Error()}
	}
	t.sign(sent)
	if body != nil {
		sent.Header.Set("content-type", "application/json")
	}
	if r.key != "" {
		sent.Header.Set("idempotency-key", r.key)
	}
	answer, err := t.http.Do(sent)
	if err != nil {
		return nil, &UnreachableError{t.origin, err}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, &UnreachableError{t.origin, err}
	}
	if answer.StatusCode/100 != 2 {
		return nil, errorOf(answer, text)
	}
	return text, nil
}

func (t *transport) sign(sent *http.Request) {
	sent.Header.Set("accept", "application/json")
	sent.Header.Set("authorization", "Bearer "+t.config.Key)
	sent.Header.Set("user-agent", "hermod-go/"+Version)
	if t.config.Account != "" {
		sent.Header.Set("hermod-account", url.PathEscape(t.config.Account))
	}
}

func (r request) target() (string, error) {
	path := r.path
	for _, id := range r.ids {
		start, end := strings.Index(path, "{"), strings.Index(path, "}")
		// An empty segment and dots would lead to another path, such as a list (RFC 3986, 5.2.4).
		switch strings.TrimPrefix(id, "~") {
		case "", ".", "..":
			return "", &ArgumentError{fmt.Sprintf("%s can't be %q", path[start+1:end], id)}
		}
		path = path[:start] + url.PathEscape(id) + path[end+1:]
	}
	query, err := parametersOf(r.query)
	if err != nil {
		return "", &ArgumentError{err.Error()}
	}
	// Without a limit the service answers these lists in another form.
	isNumbered := query.Has("page") || query.Has("per_page") || query.Has("event")
	if r.method == "GET" && (path == "/v1/endpoints" || path == "/v1/webhooks") && !query.Has("limit") && !isNumbered {
		query.Set("limit", "20")
	}
	if len(query) == 0 {
		return path, nil
	}
	return path + "?" + query.Encode(), nil
}

// parametersOf returns the fields of a query. A map has a parameter for each of its entries.
func parametersOf(query any) (url.Values, error) {
	if values, ok := query.(url.Values); ok {
		return values, nil
	}
	values := url.Values{}
	text, err := json.Marshal(query)
	if err != nil || query == nil {
		return values, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return values, err
	}
	for name, field := range fields {
		switch field := field.(type) {
		case nil:
		case map[string]any:
			for inner, value := range field {
				values.Set(name+"."+inner, fmt.Sprint(value))
			}
		default:
			values.Set(name, fmt.Sprint(field))
		}
	}
	return values, nil
}
