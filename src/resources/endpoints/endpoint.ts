import { type Static, Type } from "@sinclair/typebox";
import type { Principal } from "../../accounts/authentication/principal";
import { externalId } from "../../api/external-ids";
import { cursorPageOf } from "../../api/lists/cursor-model";
import { formatInstant, formatMaybe } from "../../api/lists/instant";
import { named, nullable, optional, request, text, timestamp } from "../../api/openapi/schema";
import { MAX_URL_LENGTH } from "../../attempt/targets/target";
import {
  ALL_EVENTS,
  FILTER_MAX_LENGTH,
  formatEventFilter,
  MAX_PATTERNS,
  MAX_RESOURCE_PARTS,
  PATTERN,
  PATTERNS,
} from "../../domain/event-filter";
import { type AccountId, toText } from "../../domain/ids";
import { EVENT_MAX_LENGTH } from "../../domain/names";
import { type Endpoint, FEED_ENDPOINTS, type RotatedSecret } from "../../endpoints/endpoint";
import { DEFAULT_OVERLAP_S, MAX_OVERLAP_S } from "../../endpoints/secret-rotation";
import { GIVEN_SECRET_BYTES, SECRET_MAX_LENGTH } from "../../endpoints/signing-secret";
import { CONTROL_CHARACTERS } from "../../runtime/text/plain-text";
import { seesPayloads } from "../../sessions/portal-reach";
import { deliveryWay, wayOf } from "./delivery-way";
import { filter } from "./filter-test";
import { HeadersInput, headersModel, SensitiveHeadersInput, viewOfHeaders } from "./headers";
import { HEALTH_EXAMPLE, HealthModel, viewOfHealth } from "./health";
import { changedSettings, newSettings, SETTINGS_EXAMPLE, settingsModel, viewOfSettings } from "./settings";

const url = text({
  minLength: 1,
  maxLength: MAX_URL_LENGTH,
  pattern: `^([Hh][Tt][Tt][Pp][Ss]?://[^/\\\\\\s${CONTROL_CHARACTERS}]|[Mm][Aa][Ii][Ll][Tt][Oo]:[^\\s${CONTROL_CHARACTERS}])[^\\s${CONTROL_CHARACTERS}]*$`,
  description:
    "Where deliveries are sent: an http or https URL. With `format: email` and `feed: true`, `mailto:` and one address that the " +
    "service permits. Required, unless `delivery` is `pull`.",
});
const ONE_FORM = "Either `event_filter` or `event_types`, not both.";
const eventFilter = {
  minLength: 1,
  maxLength: FILTER_MAX_LENGTH,
  pattern: PATTERNS,
  description:
    "The events that it gets: an exact event type, `<resource>.*`, or `*` for all; several with commas between them. A resource " +
    `has at most ${MAX_RESOURCE_PARTS} parts with dots between them. ` +
    ONE_FORM,
};
const eventTypes = Type.Array(text({ minLength: 1, maxLength: EVENT_MAX_LENGTH, pattern: PATTERN }), {
  minItems: 1,
  maxItems: MAX_PATTERNS,
  description: `The same filter as a list; here event types may contain commas. ${ONE_FORM}`,
});
const isActive = {
  description: "True if Hermod sends its deliveries. While false, they stay pending and keep their order.",
};
/** Stands for all accounts in `feed_accounts`. */
export const ALL_ACCOUNTS = "*";
/** Most accounts that one feed names. */
export const MAX_FEED_ACCOUNTS = 100;
const feed = {
  description:
    "True if the endpoint receives the account's feed: Hermod's reports about its own work (see `FeedEvent`) that match the " +
    `filter. POST /events skips the endpoint, and POST /webhooks refuses it. At most ${FEED_ENDPOINTS.most} per account; one more gets a 409.`,
};
const feedAccounts = Type.Array(text({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: MAX_FEED_ACCOUNTS,
  description:
    "Makes it a feed of the installation, with `feed: true`: it reports on the accounts with these ids, or with `*` on all. Needs the " +
    "permission `admin`, as any later change of the endpoint does. Null: it reports on its own account.",
});
export const DESCRIPTION_MAX_LENGTH = 1_024;
const signingSecret = text({
  maxLength: SECRET_MAX_LENGTH,
  pattern: "^whsec_[A-Za-z0-9+/]+={0,2}$",
  description:
    "A secret that the receiver already has, for example when you migrate to Hermod: `whsec_` and the base64 (with padding) of " +
    `${GIVEN_SECRET_BYTES.least} to ${GIVEN_SECRET_BYTES.most} random bytes. By default Hermod creates a new one.`,
});

export const CreateEndpoint = request(
  "CreateEndpoint",
  Type.Object({
    url: Type.Optional(url),
    delivery: optional(deliveryWay),
    description: optional(text({ maxLength: DESCRIPTION_MAX_LENGTH })),
    event_filter: optional(text({ ...eventFilter, default: formatEventFilter(ALL_EVENTS) })),
    event_types: optional(eventTypes),
    filter: Type.Optional(nullable(filter)),
    is_active: optional(Type.Boolean({ ...isActive, default: true })),
    feed: optional(Type.Boolean({ ...feed, default: false })),
    feed_accounts: Type.Optional(nullable(feedAccounts)),
    headers: optional(HeadersInput),
    sensitive_headers: optional(SensitiveHeadersInput),
    signing_secret: optional(signingSecret),
    external_id: optional(externalId),
    ...newSettings,
  }),
);

/** Has no external id, which is in the path. Has no defaults, because tools that fill them in would change fields. */
export const PutEndpoint = request(
  "EndpointUpsert",
  Type.Object({
    url: Type.Optional(nullable(url)),
    delivery: Type.Optional(deliveryWay),
    description: Type.Optional(nullable(text({ maxLength: DESCRIPTION_MAX_LENGTH }))),
    event_filter: Type.Optional(text(eventFilter)),
    event_types: Type.Optional(eventTypes),
    filter: Type.Optional(nullable(filter)),
    is_active: Type.Optional(Type.Boolean(isActive)),
    feed: Type.Optional(Type.Boolean(feed)),
    feed_accounts: Type.Optional(nullable(feedAccounts)),
    headers: Type.Optional(nullable(HeadersInput)),
    sensitive_headers: Type.Optional(SensitiveHeadersInput),
    ...changedSettings,
  }),
);

export const UpdateEndpoint = request(
  "UpdateEndpoint",
  Type.Object({
    ...PutEndpoint.properties,
    external_id: Type.Optional(nullable(externalId)),
  }),
);

export const RotateSecret = request(
  "SecretRotation",
  Type.Object({
    overlap: optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_S,
        default: DEFAULT_OVERLAP_S,
        description:
          "How long the replaced secret also signs, in seconds. 0 ends it, and all older secrets, at once.",
      }),
    ),
    signing_secret: optional(signingSecret),
  }),
);

export const EndpointModel = named(
  "Endpoint",
  Type.Object({
    id: Type.String({ description: "Begins with `ep_`." }),
    url: nullable(Type.String({ description: "Null with `delivery: pull`." })),
    delivery: deliveryWay,
    description: nullable(Type.String()),
    event_filter: Type.String({ description: "The patterns of `event_types`, separated by commas." }),
    event_types: Type.Array(Type.String()),
    filter: nullable(
      Type.String({ description: "The condition in CEL that events must match beside their type." }),
    ),
    is_active: Type.Boolean(),
    health: HealthModel,
    feed: Type.Boolean(),
    feed_accounts: nullable(
      Type.Array(Type.String(), {
        description: "The accounts that its feed reports on, `*` for all; null for its own.",
      }),
    ),
    ...headersModel,
    external_id: nullable(Type.String()),
    ...settingsModel,
    created_at: timestamp(),
  }),
);

export const CreatedEndpointModel = named(
  "CreatedEndpoint",
  Type.Composite([
    EndpointModel,
    Type.Object({
      signing_secret: Type.String({ description: "Begins with `whsec_`; shown only this once." }),
    }),
  ]),
);

export const RotatedSecretModel = named(
  "RotatedSecret",
  Type.Composite([
    CreatedEndpointModel,
    Type.Object({
      previous_secret_expires_at: nullable(
        timestamp("When the replaced secret stops signing; null if it has stopped."),
      ),
    }),
  ]),
);

export const RetriedModel = named("RetriedEndpoint", Type.Object({ retried: Type.Integer() }));

export const EndpointPage = named("EndpointPage", cursorPageOf("Endpoint"));

export type ShownEndpoint = Static<typeof EndpointModel>;

/**
 * Hides the operator's metadata from a customer in a portal session, and parts of payloads if it may see none: the filter's error
 * may quote them.
 */
export function seenBy({ session }: Pick<Principal, "session">, endpoint: Endpoint): Endpoint {
  const portal = session?.portal;
  if (!portal) return endpoint;
  const { filterErrors } = endpoint;
  const isHidden = filterErrors !== null && !seesPayloads(portal);
  const hidden = isHidden && {
    filterErrors: { ...filterErrors, last: { ...filterErrors.last, error: null } },
  };
  return { ...endpoint, metadata: {}, ...hidden };
}

/** Returns the API's form of an endpoint, without its secret. */
export function viewOfEndpoint(endpoint: Endpoint): ShownEndpoint {
  return {
    id: toText("ep", endpoint.id),
    url: endpoint.url,
    delivery: wayOf(endpoint.url),
    description: endpoint.description,
    event_filter: formatEventFilter(endpoint.eventFilter),
    event_types: [...endpoint.eventFilter],
    filter: endpoint.filter,
    is_active: endpoint.isActive,
    health: viewOfHealth(endpoint),
    feed: endpoint.feed,
    feed_accounts: endpoint.feedAccounts && viewOfFeedAccounts(endpoint.feedAccounts),
    ...viewOfHeaders(endpoint.headers),
    external_id: endpoint.externalId,
    ...viewOfSettings(endpoint),
    created_at: formatInstant(endpoint.createdAt),
  };
}

function viewOfFeedAccounts(accounts: readonly AccountId[]): string[] {
  return accounts.length === 0 ? [ALL_ACCOUNTS] : accounts.map((id) => toText("acc", id));
}

/** Returns the answer to a rotation. No other answer shows the new secret. */
export function viewOfRotation({ endpoint, signingSecret, previousUntil }: RotatedSecret) {
  return {
    ...viewOfEndpoint(endpoint),
    signing_secret: signingSecret,
    previous_secret_expires_at: formatMaybe(previousUntil),
  } satisfies Static<typeof RotatedSecretModel>;
}

export const ENDPOINT_EXAMPLE = {
  id: "ep_01k9x3v5q8e7bt2m4n6p8r0s2t",
  url: "https://example.com/hooks",
  delivery: "push",
  description: "Orders of the shop",
  event_filter: "order.*",
  event_types: ["order.*"],
  filter: "data.total > 100",
  is_active: true,
  health: HEALTH_EXAMPLE,
  feed: false,
  feed_accounts: null,
  headers: { "x-shop": "north" },
  sensitive_headers: ["authorization"],
  external_id: "orders-north",
  ...SETTINGS_EXAMPLE,
  created_at: "2026-01-31T12:00:00.000Z",
} satisfies ShownEndpoint;
