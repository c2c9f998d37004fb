// Written by clients/generate.ts from the API document.
package dev.hermod;

import dev.hermod.model.*;

/** Send webhooks, and see how their delivery went. */
public final class Webhooks extends LiveDeliveries {
    Webhooks(Transport transport) {
        super(transport);
    }

    /** List deliveries. */
    public DeliveryListing list() {
        return call(request("GET", "/v1/webhooks"), DeliveryListing::new);
    }

    /** List deliveries. */
    public DeliveryListing list(ListWebhooksQuery query) {
        return call(request("GET", "/v1/webhooks").query(query), DeliveryListing::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<ListedDelivery> all() {
        return items(request("GET", "/v1/webhooks"), ListedDelivery::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<ListedDelivery> all(ListWebhooksQuery query) {
        return items(request("GET", "/v1/webhooks").query(query), ListedDelivery::new);
    }

    /** Send a webhook. */
    public AcceptedDelivery send(CreateWebhook body, RequestOption... options) {
        return call(request("POST", "/v1/webhooks").body(body).options(options), AcceptedDelivery::new);
    }

    /** Send many webhooks. */
    public WebhookResults sendMany(CreateWebhooks body, RequestOption... options) {
        return call(request("POST", "/v1/webhooks/batch").body(body).options(options), WebhookResults::new);
    }

    /** Resend many deliveries. */
    public Job resendMany(RequestOption... options) {
        return call(request("POST", "/v1/webhooks/resend").options(options), Job::new);
    }

    /** Resend many deliveries. */
    public Job resendMany(ResendSelection body, RequestOption... options) {
        return call(request("POST", "/v1/webhooks/resend").body(body).options(options), Job::new);
    }

    /** Count deliveries by status and answer. */
    public WebhookSummary summary() {
        return call(request("GET", "/v1/webhooks/summary"), WebhookSummary::new);
    }

    /** Count deliveries by status and answer. */
    public WebhookSummary summary(SummarizeWebhooksQuery query) {
        return call(request("GET", "/v1/webhooks/summary").query(query), WebhookSummary::new);
    }

    /** Get a delivery. */
    public DeliveryDetail get(String id) {
        return call(request("GET", "/v1/webhooks/{id}", id), DeliveryDetail::new);
    }

    /** Cancel a pending delivery. */
    public Delivery cancel(String id, RequestOption... options) {
        return call(request("POST", "/v1/webhooks/{id}/cancel", id).options(options), Delivery::new);
    }

    /** Erase a delivery's payload. */
    public ErasedPayload erasePayload(String id) {
        return call(request("DELETE", "/v1/webhooks/{id}/payload", id), ErasedPayload::new);
    }

    /** Resend a delivery. */
    public ReplayedDelivery resend(String id, RequestOption... options) {
        return call(request("POST", "/v1/webhooks/{id}/resend", id).options(options), ReplayedDelivery::new);
    }

    /** Attempt a waiting delivery now. */
    public Delivery retry(String id, RequestOption... options) {
        return call(request("POST", "/v1/webhooks/{id}/retry", id).options(options), Delivery::new);
    }
}
