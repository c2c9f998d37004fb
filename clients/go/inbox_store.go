package hermod

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

const (
	// Numbers of an ordering key whose work commits together.
	inboxBatch = 20
	// At the end of the statement that takes a row for one transaction alone.
	sqlTaking        = "for update of r skip locked"
	mostLookedAt     = 100
	longestPostponed = 5 * time.Minute
)

// NumberCameAgainError means that a number came again with another id: Hermod was restored from a backup. Give the inbox another
// Name, and From.
type NumberCameAgainError struct {
	Sequence  int64
	Known, ID string
}

func (e *NumberCameAgainError) Error() string {
	return fmt.Sprintf("number %d was %s, and came again as %s", e.Sequence, e.Known, e.ID)
}

// querier is a *sql.DB or a *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// inboxStore has the operations on the table of an inbox.
type inboxStore struct{ name string }

// arrive writes an arrived number. It returns false if it, or its id with another number, arrived before.
func (s inboxStore) arrive(ctx context.Context, on querier, event InboxEvent, isDone bool) (bool, error) {
	text := string(event.Data)
	if isDone {
		text = ""
	}
	if isNew, err := s.insert(ctx, on, event, &event.ID, text, isDone); err != nil || isNew {
		return isNew, err
	}
	// A resend has the id of its original. Its number has arrived, and its work is the original's.
	if isNew, err := s.insert(ctx, on, event, nil, "", true); err != nil || isNew {
		return false, err
	}
	known, err := rowsOf(ctx, on, scanOne[sql.NullString], sqlReadArrived, s.name, event.Sequence)
	if err == nil && len(known) > 0 && known[0].Valid && known[0].String != event.ID {
		err = &NumberCameAgainError{event.Sequence, known[0].String, event.ID}
	}
	return false, err
}

func (s inboxStore) insert(ctx context.Context, on querier, event InboxEvent, id *string, text string, isDone bool) (bool, error) {
	done := 0
	if isDone {
		done = 1
	}
	values := []any{s.name, event.Sequence, id, event.OrderingKey, event.Event, text, done, time.Now().UnixMilli()}
	rows, err := rowsOf(ctx, on, scanOne[int64], sqlArrive, values...)
	return len(rows) > 0, err
}

// arriveAll stores a page of the log. Numbers in front of it are older than the retention.
func (s inboxStore) arriveAll(ctx context.Context, on querier, next int64, numbers []NumberFate) error {
	if len(numbers) > 0 && numbers[0].Sequence > next {
		if err := s.moveFrontierTo(ctx, on, numbers[0].Sequence-1); err != nil {
			return err
		}
	}
	for _, each := range numbers {
		if _, err := s.arrive(ctx, on, loggedEvent(each), false); err != nil {
			return err
		}
	}
	return nil
}

// loggedEvent has no data if the delivery was cancelled or erased: it needs no work.
func loggedEvent(number NumberFate) InboxEvent {
	event := InboxEvent{Sequence: number.Sequence, Event: number.Event, OrderingKey: number.OrderingKey}
	event.ID = fmt.Sprintf("removed %d", number.Sequence)
	if number.WebhookID != nil {
		event.ID = *number.WebhookID
	}
	hasEnded := number.Status == FinalStatusDelivered || number.Status == FinalStatusFailed
	if hasEnded && !number.Erased {
		event.Data = number.Data
	}
	return event
}

// moveFrontier moves the frontier over the numbers that have arrived behind it without a gap.
func (s inboxStore) moveFrontier(ctx context.Context, on querier) error {
	type behind struct{ sequence, frontier int64 }
	scan := func(rows *sql.Rows) (b behind, err error) {
		err = rows.Scan(&b.sequence, &b.frontier)
		return b, err
	}
	for {
		rows, err := rowsOf(ctx, on, scan, sqlReadBehindFrontier, s.name)
		if err != nil {
			return err
		}
		passed := 0
		for passed < len(rows) && rows[passed].sequence == rows[passed].frontier+int64(passed)+1 {
			passed++
		}
		if passed > 0 {
			if err := s.moveFrontierTo(ctx, on, rows[passed-1].sequence); err != nil {
				return err
			}
		}
		if passed < mostLookedAt {
			return nil
		}
	}
}

func (s inboxStore) moveFrontierTo(ctx context.Context, on querier, frontier int64) error {
	_, err := on.ExecContext(ctx, sqlMoveFrontier, s.name, frontier)
	return err
}

// frontier returns the number up to which all have arrived.
func (s inboxStore) frontier(ctx context.Context, on querier) (int64, error) {
	rows, err := rowsOf(ctx, on, scanOne[int64], sqlReadFrontier, s.name)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// takeNext takes the next numbers of one ordering key whose work may be done. Others take other keys until the transaction ends.
func (s inboxStore) takeNext(ctx context.Context, tx *sql.Tx, most int) ([]InboxEvent, error) {
	taken, err := rowsOf(ctx, tx, scanEvent, sqlTakeFirst+sqlTaking, s.name, time.Now().UnixMilli())
	if err != nil || len(taken) == 0 {
		return nil, err
	}
	first := taken[0]
	others, err := rowsOf(ctx, tx, scanEvent, sqlTakeOthers, s.name, first.Sequence, orderOf(first), most-1)
	return append(taken, others...), err
}

func (s inboxStore) finish(ctx context.Context, tx *sql.Tx, taken []InboxEvent) error {
	if len(taken) == 0 {
		return nil
	}
	first, last := taken[0], taken[len(taken)-1]
	_, err := tx.ExecContext(ctx, sqlFinish, s.name, first.Sequence, last.Sequence, orderOf(first))
	return err
}

// postpone lets failed work wait a second, then twice as long each time, up to five minutes.
func (s inboxStore) postpone(ctx context.Context, on querier, failed InboxEvent) error {
	wait := min(time.Second<<min(failed.tries, 20), longestPostponed)
	_, err := on.ExecContext(ctx, sqlPostpone, s.name, failed.Sequence, time.Now().Add(wait).UnixMilli())
	return err
}

func orderOf(event InboxEvent) string {
	if event.OrderingKey == nil {
		return ""
	}
	return *event.OrderingKey
}

func rowsOf[T any](ctx context.Context, on querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := on.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []T
	for rows.Next() {
		each, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, each)
	}
	return found, rows.Err()
}

func scanOne[T any](rows *sql.Rows) (value T, err error) {
	err = rows.Scan(&value)
	return value, err
}

func scanEvent(rows *sql.Rows) (InboxEvent, error) {
	var event InboxEvent
	var id sql.NullString
	var text string
	err := rows.Scan(&event.Sequence, &id, &event.OrderingKey, &event.Event, &text, &event.tries)
	event.ID, event.Data = id.String, json.RawMessage(text)
	return event, err
}
