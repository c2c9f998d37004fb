package hermod

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"
)

// A stream that is silent for this long is broken, since the service sends a comment every 15 s.
const silence = 45 * time.Second

// FollowQuery selects the deliveries to follow.
type FollowQuery struct {
	// The start: now (the default), start or the iterator of a list.
	Start      Opt[string]            `json:"iterator,omitzero"`
	Status     Opt[DeliveryStatus]    `json:"status,omitzero"`
	EventType  Opt[string]            `json:"event_type,omitzero"`
	EndpointID Opt[string]            `json:"endpoint_id,omitzero"`
	Data       Opt[map[string]string] `json:"data,omitzero"`
	// Yields a delivery again whenever it changes.
	Changes bool `json:"-"`
}

type liveEvent struct{ name, data, id string }

// Follow follows deliveries as they are accepted, oldest first, without gaps and without end.
func (r *Webhooks) Follow(ctx context.Context, query FollowQuery) iter.Seq2[ListedDelivery, error] {
	return func(yield func(ListedDelivery, error) bool) {
		t, lastID := r.transport, ""
		for retries := 0; ; retries++ {
			isOver := false
			err := t.stream(ctx, request{method: "GET", path: "/v1/webhooks/tail", query: query}, lastID, func(event liveEvent) bool {
				lastID, retries = event.id, -1
				if event.name != "delivery" && !(query.Changes && event.name == "update") {
					return true
				}
				var delivery ListedDelivery
				isOver = !yield(delivery, json.Unmarshal([]byte(event.data), &delivery))
				return !isOver
			})
			if isOver {
				return
			}
			wait, again := waitBeforeRetry(err, max(retries, 0), t.config.MaxRetries)
			if ctx.Err() != nil || !again || pause(ctx, wait) != nil {
				yield(ListedDelivery{}, err)
				return
			}
		}
	}
}

// stream reads the events of one connection, until it ends or handle returns false.
func (t *transport) stream(ctx context.Context, r request, lastID string, handle func(liveEvent) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	broken := time.AfterFunc(silence, cancel)
	defer broken.Stop()
	target, err := r.target()
	if err != nil {
		return err
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, t.origin+target, nil)
	if err != nil {
		return &ArgumentError{err.Error()}
	}
	t.sign(sent)
	sent.Header.Set("accept", "text/event-stream")
	if lastID != "" {
		sent.Header.Set("last-event-id", lastID)
	}
	answer, err := t.http.Do(sent)
	if err != nil {
		return &UnreachableError{t.origin, err}
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		return errorOf(answer, text)
	}
	lines := bufio.NewReader(answer.Body)
	event := liveEvent{id: lastID}
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return &UnreachableError{t.origin, errors.Join(errors.New("the stream ended"), err)}
		}
		broken.Reset(silence)
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		switch value = strings.TrimPrefix(value, " "); name {
		case "event":
			event.name = value
		case "data":
			event.data += value
		case "id":
			event.id = value
		case "":
			if value == "" && !handle(event) {
				return nil
			}
			if value == "" {
				event = liveEvent{id: event.id}
			}
		}
	}
}
