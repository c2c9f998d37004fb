// Written by clients/generate.ts from the API document.
package dev.hermod;

import dev.hermod.model.*;

/** The receivers of webhooks. */
public final class Endpoints extends Resource {
    Endpoints(Transport transport) {
        super(transport);
    }

    /** List endpoints. */
    public EndpointPage list() {
        return call(request("GET", "/v1/endpoints"), EndpointPage::new);
    }

    /** List endpoints. */
    public EndpointPage list(ListEndpointsQuery query) {
        return call(request("GET", "/v1/endpoints").query(query), EndpointPage::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<Endpoint> all() {
        return items(request("GET", "/v1/endpoints"), Endpoint::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<Endpoint> all(ListEndpointsQuery query) {
        return items(request("GET", "/v1/endpoints").query(query), Endpoint::new);
    }

    /** Register an endpoint. */
    public CreatedEndpoint create(RequestOption... options) {
        return call(request("POST", "/v1/endpoints").options(options), CreatedEndpoint::new);
    }

    /** Register an endpoint. */
    public CreatedEndpoint create(CreateEndpoint body, RequestOption... options) {
        return call(request("POST", "/v1/endpoints").body(body).options(options), CreatedEndpoint::new);
    }

    /** Check a URL before an endpoint has it. */
    public AddressVerdict checkUrl(CheckedAddress body, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/check-url").body(body).options(options), AddressVerdict::new);
    }

    /** Delete an endpoint. */
    public Deleted delete(String id) {
        return call(request("DELETE", "/v1/endpoints/{id}", id), Deleted::new);
    }

    /** Get an endpoint. */
    public Endpoint get(String id) {
        return call(request("GET", "/v1/endpoints/{id}", id), Endpoint::new);
    }

    /** Change an endpoint. */
    public Endpoint update(String id) {
        return call(request("PATCH", "/v1/endpoints/{id}", id), Endpoint::new);
    }

    /** Change an endpoint. */
    public Endpoint update(String id, UpdateEndpoint body) {
        return call(request("PATCH", "/v1/endpoints/{id}", id).body(body), Endpoint::new);
    }

    /** Create or change an endpoint by its external id. */
    public CreatedEndpoint put(String externalId, RequestOption... options) {
        return call(request("PUT", "/v1/endpoints/{id}", "~" + externalId).options(options), CreatedEndpoint::new);
    }

    /** Create or change an endpoint by its external id. */
    public CreatedEndpoint put(String externalId, EndpointUpsert body, RequestOption... options) {
        return call(request("PUT", "/v1/endpoints/{id}", "~" + externalId).body(body).options(options), CreatedEndpoint::new);
    }

    /** Certify a receiver. */
    public Certification certify(String id, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/certify", id).options(options), Certification::new);
    }

    /** Try a filter on kept events. */
    public FilterTestResult testFilter(String id, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/filter/test", id).options(options), FilterTestResult::new);
    }

    /** Try a filter on kept events. */
    public FilterTestResult testFilter(String id, FilterTest body, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/filter/test", id).body(body).options(options), FilterTestResult::new);
    }

    /** Read an endpoint's numbers, and what became of each. */
    public EndpointLog log(String id) {
        return call(request("GET", "/v1/endpoints/{id}/log", id), EndpointLog::new);
    }

    /** Read an endpoint's numbers, and what became of each. */
    public EndpointLog log(String id, GetEndpointLogQuery query) {
        return call(request("GET", "/v1/endpoints/{id}/log", id).query(query), EndpointLog::new);
    }

    /** List an endpoint's pending deliveries, in order. */
    public QueuePage queue(String id) {
        return call(request("GET", "/v1/endpoints/{id}/queue", id), QueuePage::new);
    }

    /** List an endpoint's pending deliveries, in order. */
    public QueuePage queue(String id, GetEndpointQueueQuery query) {
        return call(request("GET", "/v1/endpoints/{id}/queue", id).query(query), QueuePage::new);
    }

    /** Read and acknowledge an endpoint's deliveries. */
    public ReceivedPage receive(String id) {
        return call(request("POST", "/v1/endpoints/{id}/receive", id), ReceivedPage::new);
    }

    /** Read and acknowledge an endpoint's deliveries. */
    public ReceivedPage receive(String id, Receive body) {
        return call(request("POST", "/v1/endpoints/{id}/receive", id).body(body), ReceivedPage::new);
    }

    /** List an endpoint's receiver keys. */
    public ReceiverKeyList listReceiverKeys(String id) {
        return call(request("GET", "/v1/endpoints/{id}/receiver-keys", id), ReceiverKeyList::new);
    }

    /** Create a receiver key. */
    public CreatedReceiverKey createReceiverKey(String id, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/receiver-keys", id).options(options), CreatedReceiverKey::new);
    }

    /** Create a receiver key. */
    public CreatedReceiverKey createReceiverKey(String id, CreateReceiverKey body, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/receiver-keys", id).body(body).options(options), CreatedReceiverKey::new);
    }

    /** Revoke a receiver key. */
    public Deleted deleteReceiverKey(String id, String keyId) {
        return call(request("DELETE", "/v1/endpoints/{id}/receiver-keys/{key_id}", id, keyId), Deleted::new);
    }

    /** Attempt deliveries that wait for a retry now. */
    public RetriedEndpoint retry(String id, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/retry", id).options(options), RetriedEndpoint::new);
    }

    /** Rotate an endpoint's signing secret. */
    public RotatedSecret rotateSecret(String id, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/rotate-secret", id).options(options), RotatedSecret::new);
    }

    /** Rotate an endpoint's signing secret. */
    public RotatedSecret rotateSecret(String id, SecretRotation body, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/rotate-secret", id).body(body).options(options), RotatedSecret::new);
    }

    /** Get an endpoint's statistics. */
    public EndpointStats stats(String id) {
        return call(request("GET", "/v1/endpoints/{id}/stats", id), EndpointStats::new);
    }

    /** Get an endpoint's figures over time. */
    public Series statsSeries(String id) {
        return call(request("GET", "/v1/endpoints/{id}/stats/series", id), Series::new);
    }

    /** Get an endpoint's figures over time. */
    public Series statsSeries(String id, GetEndpointStatsSeriesQuery query) {
        return call(request("GET", "/v1/endpoints/{id}/stats/series", id).query(query), Series::new);
    }

    /** List the orders whose first delivery is retried. */
    public StuckOrders listStuckOrders(String id) {
        return call(request("GET", "/v1/endpoints/{id}/stuck-orders", id), StuckOrders::new);
    }

    /** List the orders whose first delivery is retried. */
    public StuckOrders listStuckOrders(String id, ListStuckOrdersQuery query) {
        return call(request("GET", "/v1/endpoints/{id}/stuck-orders", id).query(query), StuckOrders::new);
    }

    /** Send a test event. */
    public AcceptedDelivery test(String id, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/test", id).options(options), AcceptedDelivery::new);
    }

    /** Send a test event. */
    public AcceptedDelivery test(String id, TestEvent body, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/test", id).body(body).options(options), AcceptedDelivery::new);
    }
}
