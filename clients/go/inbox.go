package hermod

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// InboxOptions has the settings of an inbox.
type InboxOptions struct {
	// The endpoint's id, "ep_…". Several endpoints may share the table.
	Endpoint string
	// The endpoint's signing secret; several while one is being replaced.
	Secrets []string
	// The work is done strictly by number, or by number for each ordering key.
	Ordered bool
	// Ordered: the first number to do work for; 1 by default.
	From int64
	// The name of the inbox in the table: the endpoint's id by default. Another name begins anew.
	Name string
	// Learns of work that failed in Handler.
	OnError func(error)
}

// InboxEvent is a webhook whose work is to be done once.
type InboxEvent struct {
	// The webhook-id.
	ID string
	// The delivery's number at its endpoint.
	Sequence    int64
	Event       *string
	OrderingKey *string
	// The payload, byte for byte as it was sent.
	Data  json.RawMessage
	tries int
}

// InboxWork is the receiver's work. Whatever it writes with the transaction commits together with the note that it is done.
type InboxWork func(ctx context.Context, tx *sql.Tx, event InboxEvent) error

// Inbox does the work for each webhook once, in the receiver's Postgres, and in order if that is wanted. Use any driver for
// database/sql. Several goroutines and processes may share the table.
type Inbox struct {
	db       *sql.DB
	options  InboxOptions
	store    inboxStore
	mutex    sync.Mutex
	hasBegun bool
}

// NewInbox makes an inbox in the receiver's database.
func NewInbox(db *sql.DB, options InboxOptions) *Inbox {
	if options.Name == "" {
		options.Name = options.Endpoint
	}
	if !options.Ordered || options.From < 1 {
		// Deliveries are numbered from 1. Trials of a certification, which are no work, have 0.
		options.From = 1
	}
	return &Inbox{db: db, options: options, store: inboxStore{options.Name}}
}

// CreateTable creates the table hermod_inbox unless it exists.
func (b *Inbox) CreateTable(ctx context.Context) error {
	for _, statement := range []string{sqlCreateTable, sqlCreateIndex} {
		if _, err := b.db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// Handler answers webhooks: 2xx if the work is done or stored, 401 if it is no webhook of the endpoint, 413 beyond 2 MiB, 500 if the
// work failed.
func (b *Inbox) Handler(work InboxWork) http.Handler {
	const largestBody = 2 << 20
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		isDone, err := b.Take(r.Context(), body, r.Header, work)
		var unverified *VerificationError
		switch {
		case errors.As(err, &unverified):
			http.Error(w, err.Error(), http.StatusUnauthorized)
		case err != nil:
			if b.options.OnError != nil {
				b.options.OnError(err)
			}
			http.Error(w, "The work failed", http.StatusInternalServerError)
		case isDone:
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	})
}

// Take takes a webhook. Answer 2xx unless it returns an error: a *VerificationError, or that of the work. It returns false if the
// webhook is stored, and its work follows.
func (b *Inbox) Take(ctx context.Context, body []byte, header http.Header, work InboxWork) (isDone bool, err error) {
	webhook, err := Verify(body, header, b.options.Secrets...)
	if err != nil {
		return false, err
	}
	if webhook.Sequence == nil {
		return false, &VerificationError{"webhook-sequence must be a number"}
	}
	event := InboxEvent{
		ID: webhook.ID, Sequence: *webhook.Sequence, Event: webhook.Event, OrderingKey: webhook.OrderingKey, Data: webhook.Data,
	}
	if event.Sequence < b.options.From {
		return true, nil
	}
	if !b.options.Ordered {
		return true, b.takeAtOnce(ctx, event, work)
	}
	if err := b.begin(ctx); err != nil {
		return false, err
	}
	if _, err := b.store.arrive(ctx, b.db, event, false); err != nil {
		return false, err
	}
	failures, err := b.workOff(ctx, work)
	if err != nil {
		return false, err
	}
	for _, failure := range failures {
		if orderOf(failure.Event) == orderOf(event) {
			return false, failure.Cause
		}
	}
	return false, nil
}

// WorkOff does the work of all numbers that may be done. Call it every second too: failed work is tried again.
func (b *Inbox) WorkOff(ctx context.Context, work InboxWork) error {
	failures, err := b.workOff(ctx, work)
	for _, failure := range failures {
		err = errors.Join(err, failure)
	}
	return err
}

// CatchUp reads the endpoint's log from the first number that has not arrived, and does the work of all that are not done. Call it
// when the receiver starts, and while a number is missing. The client needs the receiver's key.
func (b *Inbox) CatchUp(ctx context.Context, client *Client, work InboxWork) error {
	const pageSize = 500
	if err := b.begin(ctx); err != nil {
		return err
	}
	next, err := b.store.frontier(ctx, b.db)
	for next++; err == nil; {
		var page *EndpointLog
		query := GetEndpointLogQuery{From: Set(next), Limit: Set(int64(pageSize))}
		if page, err = client.Endpoints.Log(ctx, b.options.Endpoint, query); err != nil {
			return err
		}
		err = b.inTransaction(ctx, func(tx *sql.Tx) error { return b.store.arriveAll(ctx, tx, next, page.Data) })
		if len(page.Data) == 0 || page.NextFrom > page.CompleteUpTo {
			break
		}
		next = page.NextFrom
	}
	return errors.Join(err, b.WorkOff(ctx, work))
}

// Prune deletes numbers whose work was done before. A webhook that is resent later than that is done again.
func (b *Inbox) Prune(ctx context.Context, before time.Time) error {
	_, err := b.db.ExecContext(ctx, sqlPrune, b.options.Name, before.UnixMilli())
	return err
}

// WorkError is the error of work that is tried again.
type WorkError struct {
	Event InboxEvent
	Cause error
}

func (e *WorkError) Error() string {
	return fmt.Sprintf("the work of %s failed, and is tried again: %v", e.Event.ID, e.Cause)
}

func (e *WorkError) Unwrap() error { return e.Cause }

func (b *Inbox) takeAtOnce(ctx context.Context, event InboxEvent, work InboxWork) error {
	return b.inTransaction(ctx, func(tx *sql.Tx) error {
		isNew, err := b.store.arrive(ctx, tx, event, true)
		if err != nil || !isNew {
			return err
		}
		return work(ctx, tx, event)
	})
}

func (b *Inbox) workOff(ctx context.Context, work InboxWork) (failures []*WorkError, err error) {
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	if err := b.store.moveFrontier(ctx, b.db); err != nil {
		return nil, err
	}
	for {
		hasMore, failure, err := b.step(ctx, work, inboxBatch)
		if failure != nil {
			failures = append(failures, failure)
		}
		if err != nil || !hasMore {
			return failures, err
		}
	}
}

// step does the work of the next numbers of an ordering key in one transaction. If one fails, it does those before it again, without it.
func (b *Inbox) step(ctx context.Context, work InboxWork, most int) (hasMore bool, failure *WorkError, err error) {
	var taken []InboxEvent
	done := 0
	err = b.inTransaction(ctx, func(tx *sql.Tx) (err error) {
		if taken, err = b.store.takeNext(ctx, tx, most); err != nil {
			return err
		}
		for _, event := range taken {
			if len(event.Data) > 0 {
				if err := work(ctx, tx, event); err != nil {
					return err
				}
			}
			done++
		}
		return b.store.finish(ctx, tx, taken)
	})
	switch {
	case err == nil || done == len(taken):
		return len(taken) > 0, nil, err
	case done > 0:
		return b.step(ctx, work, done)
	default:
		return true, &WorkError{taken[0], err}, b.store.postpone(ctx, b.db, taken[0])
	}
}

func (b *Inbox) begin(ctx context.Context) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.hasBegun {
		return nil
	}
	_, err := b.db.ExecContext(ctx, sqlBeginOrder, b.options.Name, b.options.From-1, time.Now().UnixMilli())
	b.hasBegun = err == nil
	return err
}

func (b *Inbox) inTransaction(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
