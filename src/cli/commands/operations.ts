import { Option } from "@commander-js/extra-typings";
import { addGenerated, type Generated } from "../generated";
import type { Add } from "./command";
import { groupOf } from "./group";
import { ENDPOINT_OPTIONS } from "./settings";

const DELIVERY = ["created_at", "id", "endpoint_id", "status", "attempt_count", "response_status", "event"];
const ALL_ACCOUNTS = "all-accounts";
/** The event types that every account sees. */
const INSTALLATION = "installation";
const EVENT_AND_ENDPOINT = { event_type: "event", endpoint_id: "endpoint" };
/** `--url` is the service's address. */
const ENDPOINT = {
  url: "target",
  event_filter: "filter",
  event_types: "event-type",
  filter: "payload-filter",
  is_active: "active",
};
const erasing = (id: string) => `Erase the payload of ${id} for good?`;

/** The commands that are one operation each, by their arguments. */
const COMMANDS: Readonly<Record<string, Generated>> = {
  stats: { operation: "getStats" },
  usage: { operation: "getUsage" },
  system: { operation: "getSystem" },
  whoami: { operation: "getMe" },
  backlog: {
    operation: "getBacklog",
    columns: [
      "endpoint_id",
      "pending",
      "since",
      "head.id",
      "head.waiting_for.reason",
      "head.next_attempt_at",
    ],
  },
  activity: {
    operation: "listActivity",
    columns: ["at", "operation", "target", "actor.kind", "actor.name"],
    limit: 20,
    instead: { flag: ALL_ACCOUNTS, operation: "listAudit" },
  },
  "accounts create <name>": { operation: "createAccount" },
  "accounts set <external-id>": { operation: "putAccount" },
  "accounts list": { operation: "listAccounts", columns: ["id", "plan", "created_at", "name"] },
  "accounts get <id>": { operation: "getAccount" },
  "accounts update <id>": { operation: "updateAccount" },
  "cells list": { operation: "listCells", columns: ["name", "is_reachable", "accepts_accounts", "accounts"] },
  "cells place <external-id>": {
    operation: "putAccount",
    text: "Create an account in the emptiest cell, or in the one that --cell names. It stays there.",
  },
  "cells drain <name>": {
    operation: "updateCell",
    text: "Let a cell accept no more accounts. It keeps those that it has.",
    own: {
      fields: ["accepts_accounts"],
      options: () => [
        new Option("--new-only", "of new accounts alone: others can't be moved").makeOptionMandatory(),
      ],
      read: () => ({ accepts_accounts: false }),
    },
  },
  "cells accept <name>": {
    operation: "updateCell",
    sets: { accepts_accounts: true },
    text: "Let a cell accept new accounts again.",
  },
  "plans list": { operation: "listPlans", columns: ["name", "requests_per_minute", "webhooks_per_month"] },
  "plans set <name>": { operation: "putPlan" },
  "keys create": {
    operation: "createKey",
    forAccount: "createAccountKey",
    text: "Create a key, and show its text, only this once.",
    names: { permissions: "permission", expires_at: "expires" },
  },
  "keys list": {
    operation: "listKeys",
    forAccount: "listAccountKeys",
    columns: ["id", "is_active", "expires_at", "last_used_at", "name"],
  },
  "keys enable <id>": {
    operation: "updateKey",
    sets: { is_active: true },
    text: "Enable a key, but not the keys that it created.",
  },
  "keys disable <id>": {
    operation: "updateKey",
    sets: { is_active: false },
    text: "Disable a key and the keys that it created.",
  },
  "keys delete <id>": {
    operation: "deleteKey",
    instead: { flag: "any-account", operation: "deleteAnyKey" },
    asks: (id) => `Revoke ${id} and the keys that it made for good?`,
  },
  "jobs list": {
    operation: "listJobs",
    columns: ["created_at", "id", "kind", "status", "progress.examined", "progress.done"],
    limit: 20,
  },
  "jobs get <id>": { operation: "getJob" },
  "jobs cancel <id>": { operation: "cancelJob" },
  "events list": {
    operation: "listEvents",
    columns: ["created_at", "id", "delivery_count", "event"],
    limit: 20,
    instead: { flag: ALL_ACCOUNTS, operation: "listAllEvents" },
    names: EVENT_AND_ENDPOINT,
  },
  "events get <id>": { operation: "getEvent" },
  "events deliveries <id>": { operation: "listEventDeliveries", columns: DELIVERY },
  "events missed <id>": { operation: "listMissedEndpoints", columns: ["endpoint_id", "reason"] },
  "events erase <id>": { operation: "eraseEventPayload", asks: erasing },
  "webhooks summary": { operation: "summarizeWebhooks", names: EVENT_AND_ENDPOINT },
  "webhooks get <id>": { operation: "getWebhook" },
  "webhooks cancel <id>": { operation: "cancelWebhook" },
  "webhooks retry <id>": { operation: "retryWebhook" },
  "webhooks resend <id>": { operation: "resendWebhook" },
  "webhooks erase <id>": { operation: "erasePayload", asks: erasing },
  "endpoints list": {
    operation: "listEndpoints",
    columns: ["id", "health.state", "event_filter", "url"],
    instead: { flag: ALL_ACCOUNTS, operation: "listAllEndpoints" },
    names: { q: "search" },
  },
  "endpoints get <id>": { operation: "getEndpoint" },
  "endpoints create <target>": {
    operation: "createEndpoint",
    text: "Register a URL, and show its signing secret, only this once.",
    names: ENDPOINT,
    hides: ["is_active"],
    own: ENDPOINT_OPTIONS,
  },
  "endpoints set <external-id>": {
    operation: "putEndpoint",
    text: "Create the endpoint with this external id, or change it; options that you leave out change nothing.",
    names: ENDPOINT,
    own: ENDPOINT_OPTIONS,
  },
  "endpoints update <id>": {
    operation: "updateEndpoint",
    text: "Change an endpoint; options that you leave out change nothing. Headers and metadata are replaced as a whole.",
    names: ENDPOINT,
    own: ENDPOINT_OPTIONS,
  },
  "endpoints pause <id>": {
    operation: "updateEndpoint",
    sets: { is_active: false },
    text: "Pause an endpoint; its deliveries wait, in order.",
  },
  "endpoints resume <id>": {
    operation: "updateEndpoint",
    sets: { is_active: true },
    text: "Resume sending to an endpoint, beginning with its waiting deliveries.",
  },
  "endpoints retry <id>": { operation: "retryEndpoint" },
  "endpoints queue <id>": {
    operation: "getEndpointQueue",
    columns: ["id", "sequence", "event", "attempt_count", "waiting_for.reason"],
  },
  "endpoints stuck-orders <id>": { operation: "listStuckOrders" },
  "endpoints stats <id>": { operation: "getEndpointStats" },
  "endpoints test <id> [payload]": { operation: "testEndpoint", json: { field: "data", isOptional: true } },
  "endpoints test-filter <id> [filter]": { operation: "testEndpointFilter" },
  "endpoints check-url <url>": { operation: "checkEndpointUrl" },
  "endpoints delete <id>": {
    operation: "deleteEndpoint",
    asks: (id) => `Delete ${id} and cancel its pending deliveries?`,
  },
  "endpoints rotate-secret <id>": { operation: "rotateSecret" },
  "endpoints log <id>": {
    operation: "getEndpointLog",
    columns: ["sequence", "status", "reason", "id", "event"],
  },
  "receiver-keys list <endpoint-id>": {
    operation: "listReceiverKeys",
    columns: ["id", "created_at", "last_used_at", "name"],
  },
  "receiver-keys create <endpoint-id>": {
    operation: "createReceiverKey",
    text: "Create a key for an endpoint's receiver, and show its text, only this once.",
  },
  "receiver-keys delete <endpoint-id> <id>": {
    operation: "deleteReceiverKey",
    asks: (id) => `Revoke ${id} for good?`,
  },
  "event-types list": {
    operation: "listEventTypes",
    columns: ["created_at", "source", "schema_version", "event_type"],
    instead: { flag: INSTALLATION, operation: "listInstallationEventTypes" },
  },
  "event-types get <name>": {
    operation: "getEventType",
    instead: { flag: INSTALLATION, operation: "getInstallationEventType" },
  },
  "event-types set <name>": {
    operation: "putEventType",
    instead: { flag: INSTALLATION, operation: "putInstallationEventType" },
  },
  "event-types versions <name>": {
    operation: "listSchemaVersions",
    columns: ["version", "created_at", "schema"],
  },
  "event-types check-schema <name> [schema]": {
    operation: "checkEventTypeSchema",
    json: { field: "schema" },
  },
  "event-types set-schema <name> [schema]": {
    operation: "putEventTypeSchema",
    instead: { flag: INSTALLATION, operation: "putInstallationSchema" },
    json: { field: "schema" },
  },
  "event-types delete-schema <name>": {
    operation: "deleteEventTypeSchema",
    instead: { flag: INSTALLATION, operation: "deleteInstallationSchema" },
    asks: (name) => `Delete the schema of ${name}?`,
  },
  "event-types import [document]": {
    operation: "importCatalogue",
    instead: { flag: INSTALLATION, operation: "importInstallationCatalogue" },
    json: { field: "document", yaml: "yaml" },
  },
};

export const addOperations: Add = (parent, session) => {
  for (const [usage, made] of Object.entries(COMMANDS)) {
    const [, group, rest] = /^([\w-]+) ([\w-]+.*)$/.exec(usage) ?? [];
    if (group === undefined || rest === undefined) addGenerated(parent, usage, made, session);
    else addGenerated(groupOf(parent, group), rest, made, session);
  }
};
