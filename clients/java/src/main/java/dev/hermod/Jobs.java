// Written by clients/generate.ts from the API document.
package dev.hermod;

import dev.hermod.model.*;

/** Replay or erase many deliveries in the background. */
public final class Jobs extends Resource {
    Jobs(Transport transport) {
        super(transport);
    }

    /** Replay an endpoint's deliveries. */
    public Job replay(String id, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/replay", id).options(options), Job::new);
    }

    /** Replay an endpoint's deliveries. */
    public Job replay(String id, CreateReplay body, RequestOption... options) {
        return call(request("POST", "/v1/endpoints/{id}/replay", id).body(body).options(options), Job::new);
    }

    /** Erase the payloads of many deliveries. */
    public Job erase(RequestOption... options) {
        return call(request("POST", "/v1/erasures").options(options), Job::new);
    }

    /** Erase the payloads of many deliveries. */
    public Job erase(CreateErasure body, RequestOption... options) {
        return call(request("POST", "/v1/erasures").body(body).options(options), Job::new);
    }

    /** List jobs. */
    public JobPage list() {
        return call(request("GET", "/v1/jobs"), JobPage::new);
    }

    /** List jobs. */
    public JobPage list(ListJobsQuery query) {
        return call(request("GET", "/v1/jobs").query(query), JobPage::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<Job> all() {
        return items(request("GET", "/v1/jobs"), Job::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<Job> all(ListJobsQuery query) {
        return items(request("GET", "/v1/jobs").query(query), Job::new);
    }

    /** Get a job. */
    public Job get(String id) {
        return call(request("GET", "/v1/jobs/{id}", id), Job::new);
    }

    /** Cancel a running job. */
    public Job cancel(String id, RequestOption... options) {
        return call(request("POST", "/v1/jobs/{id}/cancel", id).options(options), Job::new);
    }
}
