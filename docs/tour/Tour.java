// #region connect
import dev.hermod.*;
import dev.hermod.model.*;
import java.util.List;
import java.util.Map;

// #endregion
import java.nio.charset.StandardCharsets;

final class Tour {
    public static void main(String[] arguments) {
        // #region connect
        var hermod = new Hermod("http://127.0.0.1:3000", System.getenv("HERMOD_KEY"));
        // #endregion

        // #region retry
        for (var waiting : hermod.backlog().data()) {
            var answer = hermod.endpoints().retry(waiting.endpointId()); // the first one, now
            System.out.println(waiting.endpointId() + " " + waiting.pending() + " " + answer.retried());
        }
        // #endregion

        // #region failed
        var failed = hermod.webhooks().list(new ListWebhooksQuery().status(DeliveryStatus.FAILED).limit(20));
        for (var delivery : failed.data())
            System.out.println(delivery.id() + " " + delivery.event() + " " + delivery.responseStatus());
        // #endregion

        // #region iterate
        for (var delivery : hermod.webhooks().all(new ListWebhooksQuery().data(Map.of("order", "4711"))))
            System.out.println(delivery.id() + " " + delivery.status());
        // #endregion

        var failedId = failed.data().get(0).id();
        // #region resend
        var again = hermod.webhooks().resend(failedId);
        var filter = new ResendFilter().status(EndedStatus.FAILED).eventType("order.paid");
        var job = hermod.webhooks().resendMany(new ResendSelection().filter(filter));
        System.out.println(again.id() + " " + job.id());
        // #endregion

        // #region create-endpoint
        var endpoint = hermod.endpoints().create(
                new CreateEndpoint().url("http://127.0.0.1:4000/hooks").eventFilter("user.*"));
        System.out.println(endpoint.id() + " " + endpoint.signingSecret()); // the secret is shown once
        // #endregion

        // #region publish
        var event = hermod.events().publish(new CreateEvent().event("user.created").data(Map.of("id", 1)));
        System.out.println(event.id() + " " + event.deliveries().size());
        // #endregion

        // #region send
        var sent = hermod.webhooks().send(
                new CreateWebhook().endpointId(endpoint.id()).event("user.renamed").data(Map.of("id", 1)),
                RequestOption.idempotencyKey("user-1-renamed")); // makes a repeat safe
        System.out.println(sent.id() + " " + sent.status());
        // #endregion

        // #region follow
        try (var deliveries = hermod.webhooks().follow(new FollowQuery().start("start"))) {
            for (var delivery : deliveries) {
                System.out.println(delivery.event() + " " + delivery.status());
                break; // without it, the loop goes on for ever
            }
        }
        // #endregion

        // #region pull-endpoint
        var pulled = hermod.endpoints().create(
                new CreateEndpoint().delivery(DeliveryWay.PULL).eventFilter("parcel.*"));
        var key = hermod.endpoints().createReceiverKey(pulled.id(), new CreateReceiverKey().name("Warehouse")).key();
        // #endregion

        // #region send-parcel
        hermod.events().publish(new CreateEvent().event("parcel.sent").data(Map.of("parcel", 1)));
        // #endregion

        // #region receive
        var receiver = new Hermod("http://127.0.0.1:3000", key);
        try (var webhooks = receiver.receive(pulled.id(), new PullOptions().untilEmpty())) {
            for (var webhook : webhooks)
                System.out.println(webhook.sequence() + " " + webhook.event()); // acknowledged when the loop goes on
        }
        // #endregion

        // #region event-type
        var schema = Map.of("required", List.of("id"), "properties", Map.of("id", Map.of("type", "integer")));
        hermod.eventTypes().putSchema("user.created", new CreateSchema().schema(schema));
        // #endregion

        // #region errors
        try {
            hermod.events().publish(new CreateEvent().event("user.created").data(Map.of("id", "one")));
        } catch (RefusedException refusal) {
            System.out.println(refusal.status() + " " + refusal.code() + " " + refusal.requestId());
        }
        // #endregion

        // #region portal
        var capabilities = List.of(RequestedCapability.VIEW, RequestedCapability.RETRY);
        var link = hermod.createPortalSession(new CreatePortalSession().capabilities(capabilities));
        System.out.println(link.url());
        // #endregion

        var body = System.getenv("WEBHOOK_BODY").getBytes(StandardCharsets.UTF_8);
        var headers = Map.of(
                "webhook-id", System.getenv("WEBHOOK_ID"),
                "webhook-timestamp", System.getenv("WEBHOOK_TIMESTAMP"),
                "webhook-signature", System.getenv("WEBHOOK_SIGNATURE"));
        // #region verify
        var webhook = Webhooks.verify(body, headers::get, System.getenv("WEBHOOK_SECRET")); // throws if it is not genuine
        System.out.println(webhook.id());
        // #endregion
    }
}
