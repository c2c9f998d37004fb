package main

// #region connect
import (
	"context"
	"fmt"
	"os"

	"hermod"
)

// #endregion
import (
	"errors"
	"net/http"
)

func main() {
	if err := tour(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func tour() error {
	// #region connect
	ctx := context.Background()
	client, err := hermod.New(hermod.Config{URL: "http://127.0.0.1:3000", Key: os.Getenv("HERMOD_KEY")})
	if err != nil {
		return err
	}
	// #endregion

	// #region retry
	backlog, err := client.Backlog(ctx, hermod.GetBacklogQuery{})
	if err != nil {
		return err
	}
	for _, waiting := range backlog.Data {
		answer, err := client.Endpoints.Retry(ctx, waiting.EndpointID) // the first one, now
		if err != nil {
			return err
		}
		fmt.Println(waiting.EndpointID, waiting.Pending, answer.Retried)
	}
	// #endregion

	// #region failed
	failed, err := client.Webhooks.List(ctx, hermod.ListWebhooksQuery{
		Status: hermod.Set(hermod.DeliveryStatusFailed),
		Limit:  hermod.Set(int64(20)),
	})
	if err != nil {
		return err
	}
	for _, delivery := range failed.Data {
		fmt.Println(delivery.ID, *delivery.Event, *delivery.ResponseStatus)
	}
	// #endregion

	// #region iterate
	query := hermod.ListWebhooksQuery{Data: hermod.Set(map[string]string{"order": "4711"})}
	for delivery, err := range client.Webhooks.All(ctx, query) {
		if err != nil {
			return err
		}
		fmt.Println(delivery.ID, delivery.Status)
	}
	// #endregion

	failedID := failed.Data[0].ID
	// #region resend
	again, err := client.Webhooks.Resend(ctx, failedID)
	if err != nil {
		return err
	}
	job, err := client.Webhooks.ResendMany(ctx, hermod.ResendSelection{Filter: hermod.Set(hermod.ResendFilter{
		Status:    "failed",
		EventType: hermod.Set("order.paid"),
	})})
	if err != nil {
		return err
	}
	fmt.Println(again.ID, job.ID)
	// #endregion

	// #region create-endpoint
	endpoint, err := client.Endpoints.Create(ctx, hermod.CreateEndpoint{
		URL:         hermod.Set("http://127.0.0.1:4000/hooks"),
		EventFilter: hermod.Set("user.*"),
	})
	if err != nil {
		return err
	}
	fmt.Println(endpoint.ID, endpoint.SigningSecret) // the secret is shown once
	// #endregion

	// #region publish
	event, err := client.Events.Publish(ctx, hermod.CreateEvent{
		Event: hermod.Set("user.created"),
		Data:  map[string]int{"id": 1},
	})
	if err != nil {
		return err
	}
	fmt.Println(event.ID, len(event.Deliveries))
	// #endregion

	// #region send
	sent, err := client.Webhooks.Send(ctx, hermod.CreateWebhook{
		EndpointID: endpoint.ID,
		Event:      hermod.Set("user.renamed"),
		Data:       map[string]int{"id": 1},
	}, hermod.IdempotencyKey("user-1-renamed")) // makes a repeat safe
	if err != nil {
		return err
	}
	fmt.Println(sent.ID, sent.Status)
	// #endregion

	// #region follow
	for delivery, err := range client.Webhooks.Follow(ctx, hermod.FollowQuery{Start: hermod.Set("start")}) {
		if err != nil {
			return err
		}
		fmt.Println(*delivery.Event, delivery.Status)
		break // without it, the loop goes on for ever
	}
	// #endregion

	// #region pull-endpoint
	pulled, err := client.Endpoints.Create(ctx, hermod.CreateEndpoint{
		Delivery:    hermod.Set(hermod.DeliveryWayPull),
		EventFilter: hermod.Set("parcel.*"),
	})
	if err != nil {
		return err
	}
	made, err := client.Endpoints.CreateReceiverKey(ctx, pulled.ID, hermod.CreateReceiverKey{Name: hermod.Set("Warehouse")})
	if err != nil {
		return err
	}
	// #endregion

	// #region send-parcel
	_, err = client.Events.Publish(ctx, hermod.CreateEvent{
		Event: hermod.Set("parcel.sent"),
		Data:  map[string]int{"parcel": 1},
	})
	if err != nil {
		return err
	}
	// #endregion

	// #region receive
	receiver, err := hermod.New(hermod.Config{URL: "http://127.0.0.1:3000", Key: made.Key})
	if err != nil {
		return err
	}
	for webhook, err := range receiver.Receive(ctx, pulled.ID, hermod.PullOptions{UntilEmpty: true}) {
		if err != nil {
			return err
		}
		fmt.Println(webhook.Sequence, *webhook.Event) // acknowledged when the loop goes on
	}
	// #endregion

	// #region event-type
	_, err = client.EventTypes.PutSchema(ctx, "user.created", hermod.CreateSchema{Schema: map[string]any{
		"required":   []string{"id"},
		"properties": map[string]any{"id": map[string]any{"type": "integer"}},
	}})
	if err != nil {
		return err
	}
	// #endregion

	// #region errors
	_, err = client.Events.Publish(ctx, hermod.CreateEvent{
		Event: hermod.Set("user.created"),
		Data:  map[string]string{"id": "one"},
	})
	var refusal *hermod.Error
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Status, refusal.Code, refusal.RequestID)
	}
	// #endregion

	// #region portal
	link, err := client.CreatePortalSession(ctx, hermod.CreatePortalSession{
		Capabilities: []hermod.RequestedCapability{"view", "retry"},
	})
	if err != nil {
		return err
	}
	fmt.Println(link.URL)
	// #endregion

	body, header := []byte(os.Getenv("WEBHOOK_BODY")), http.Header{}
	header.Set("webhook-id", os.Getenv("WEBHOOK_ID"))
	header.Set("webhook-timestamp", os.Getenv("WEBHOOK_TIMESTAMP"))
	header.Set("webhook-signature", os.Getenv("WEBHOOK_SIGNATURE"))
	// #region verify
	webhook, err := hermod.Verify(body, header, os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		return err // it is not genuine
	}
	fmt.Println(webhook.ID)
	// #endregion
	return nil
}
