package hermod

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"net/http"
	"time"
)

// PullOptions has the pages of a pulled endpoint. Its zero value has the defaults.
type PullOptions struct {
	// Most webhooks of a page, 1 to 500; 100 by default.
	Limit int64
	// The time for which a request waits for a webhook, up to 30 s; 20 s by default.
	Wait time.Duration
	// The time for the work on a page, up to 10 minutes; 30 s by default. Work that takes longer comes again.
	Lease time.Duration
	// Ends the loop once nothing is there to be read.
	UntilEmpty bool
}

// Least time between two requests while nothing is there. A service that is busy answers at once instead of waiting.
const emptyPause = time.Second

// PulledWebhook is a webhook of a pulled endpoint. It is acknowledged once the loop asks for the next one.
type PulledWebhook struct {
	ReceivedWebhook
	failure *ReceiveFailure
}

// Fail reports that the work failed. The endpoint's retry schedule repeats it, after retryAfter at least.
func (w *PulledWebhook) Fail(err error, retryAfter time.Duration) {
	const longest = 1_000
	message := err.Error()
	w.failure = &ReceiveFailure{ID: w.ID, Error: message[:min(len(message), longest)]}
	if retryAfter > 0 {
		w.failure.RetryAfter = Set(retryAfter.Seconds())
	}
}

// Receive yields what was sent to an endpoint with delivery "pull", in its order, without end. What the loop has not finished when it
// ends comes again.
func (c *Client) Receive(ctx context.Context, endpoint string, options PullOptions) iter.Seq2[*PulledWebhook, error] {
	p := pull{transport: c.transport, endpoint: endpoint, options: withDefaults(options)}
	return func(yield func(*PulledWebhook, error) bool) {
		defer p.end(ctx)
		for ctx.Err() == nil {
			askedAt := time.Now()
			page, err := p.next(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(page.Data) == 0 {
				if options.UntilEmpty || pause(ctx, emptyPause-time.Since(askedAt)) != nil {
					return
				}
				continue
			}
			if !p.work(page, yield) {
				return
			}
		}
	}
}

func withDefaults(options PullOptions) PullOptions {
	if options.Limit == 0 {
		options.Limit = 100
	}
	if options.Wait == 0 && !options.UntilEmpty {
		options.Wait = 20 * time.Second
	}
	if options.Lease == 0 {
		options.Lease = 30 * time.Second
	}
	return options
}

type pull struct {
	transport *transport
	endpoint  string
	options   PullOptions
	// What became of the page before.
	report    Receive
	hasAnswer bool
}

// work yields a page. It returns false if the loop ended.
func (p *pull) work(page *ReceivedPage, yield func(*PulledWebhook, error) bool) bool {
	p.report = Receive{Receipt: Set(*page.Receipt), Release: Set(true)}
	// Half of the lease, so that the rest of the time is for the webhook in work.
	until := time.Now().Add(p.options.Lease / 2)
	for _, received := range page.Data {
		webhook := &PulledWebhook{ReceivedWebhook: received}
		if !yield(webhook, nil) {
			return false
		}
		if webhook.failure != nil {
			p.report.Fail = Set([]ReceiveFailure{*webhook.failure})
			return true
		}
		p.report.AckThrough = Set(webhook.Sequence)
		if time.Now().After(until) {
			return true
		}
	}
	return true
}

// next settles the page before, and reads the next one.
func (p *pull) next(ctx context.Context) (*ReceivedPage, error) {
	body := p.withPage(p.report)
	p.report = Receive{}
	page, err := p.ask(ctx, body)
	var refusal *Error
	if errors.As(err, &refusal) && refusal.Status == http.StatusConflict && !body.Receipt.IsZero() {
		// The page is no longer this receiver's, and nothing was changed.
		return p.ask(ctx, p.withPage(Receive{}))
	}
	return page, err
}

// withPage adds which page is wanted.
func (p *pull) withPage(body Receive) Receive {
	body.Limit = Set(p.options.Limit)
	body.Wait = Set(p.options.Wait.Seconds())
	body.Lease = Set(int64(p.options.Lease.Seconds()))
	return body
}

// end settles the last page, and hands back what the loop has not finished.
func (p *pull) end(ctx context.Context) {
	if p.report.Receipt.IsZero() {
		return
	}
	p.report.Limit = Set(int64(0))
	p.hasAnswer = false
	_, _ = p.ask(context.WithoutCancel(ctx), p.report)
}

// ask sends a request until it is answered. A repeat is safe: the service hands a page out again if its answer was lost. The first
// request shows whether address and key are right.
func (p *pull) ask(ctx context.Context, body Receive) (*ReceivedPage, error) {
	most := p.transport.config.MaxRetries
	if p.hasAnswer {
		most = math.MaxInt
	}
	r := request{
		method: "POST", path: "/v1/endpoints/{id}/receive", ids: []string{p.endpoint}, body: body, repeats: true,
		patience: p.options.Wait,
	}
	text, err := p.transport.insist(ctx, r, most)
	if err != nil {
		return nil, err
	}
	p.hasAnswer = true
	page := new(ReceivedPage)
	return page, json.Unmarshal(text, page)
}
