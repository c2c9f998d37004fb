// Written by clients/generate.ts from the API document.
package dev.hermod;

import dev.hermod.model.*;

/** The event types in use, and the schemas their payloads must match. */
public final class EventTypes extends Resource {
    EventTypes(Transport transport) {
        super(transport);
    }

    /** Export the catalogue as AsyncAPI. */
    public CatalogueDocument exportAsyncApi() {
        return call(request("GET", "/v1/catalogue/asyncapi"), CatalogueDocument::new);
    }

    /** Import event types from a document. */
    public CatalogueImportResult importCatalogue(RequestOption... options) {
        return call(request("POST", "/v1/catalogue/import").options(options), CatalogueImportResult::new);
    }

    /** Import event types from a document. */
    public CatalogueImportResult importCatalogue(CatalogueImport body, RequestOption... options) {
        return call(request("POST", "/v1/catalogue/import").body(body).options(options), CatalogueImportResult::new);
    }

    /** Export the catalogue as OpenAPI. */
    public CatalogueDocument exportOpenApi() {
        return call(request("GET", "/v1/catalogue/openapi"), CatalogueDocument::new);
    }

    /** List event types. */
    public EventTypePage list() {
        return call(request("GET", "/v1/event-types"), EventTypePage::new);
    }

    /** List event types. */
    public EventTypePage list(ListEventTypesQuery query) {
        return call(request("GET", "/v1/event-types").query(query), EventTypePage::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<EventType> all() {
        return items(request("GET", "/v1/event-types"), EventType::new);
    }

    /** Reads all pages of {@code list}, each when it is needed. */
    public Items<EventType> all(ListEventTypesQuery query) {
        return items(request("GET", "/v1/event-types").query(query), EventType::new);
    }

    /** Get an event type. */
    public EventType get(String name) {
        return call(request("GET", "/v1/event-types/{name}", name), EventType::new);
    }

    /** Describe an event type. */
    public EventType put(String name) {
        return call(request("PUT", "/v1/event-types/{name}", name), EventType::new);
    }

    /** Describe an event type. */
    public EventType put(String name, EventTypeDescription body) {
        return call(request("PUT", "/v1/event-types/{name}", name).body(body), EventType::new);
    }

    /** Write types for an event type's payload. */
    public TypeCode code(String name) {
        return call(request("GET", "/v1/event-types/{name}/code", name), TypeCode::new);
    }

    /** Write types for an event type's payload. */
    public TypeCode code(String name, GetEventTypeCodeQuery query) {
        return call(request("GET", "/v1/event-types/{name}/code", name).query(query), TypeCode::new);
    }

    /** Remove an event type's schema. */
    public Deleted deleteSchema(String name) {
        return call(request("DELETE", "/v1/event-types/{name}/schema", name), Deleted::new);
    }

    /** Set an event type's schema. */
    public EventTypeWithSchema putSchema(String name, CreateSchema body) {
        return call(request("PUT", "/v1/event-types/{name}/schema", name).body(body), EventTypeWithSchema::new);
    }

    /** Try a schema on kept payloads. */
    public SchemaCheck checkSchema(String name, CreateSchema body, RequestOption... options) {
        return call(request("POST", "/v1/event-types/{name}/schema/check", name).body(body).options(options), SchemaCheck::new);
    }

    /** List the versions of an event type's schema. */
    public SchemaVersionList listSchemaVersions(String name) {
        return call(request("GET", "/v1/event-types/{name}/schema/versions", name), SchemaVersionList::new);
    }
}
