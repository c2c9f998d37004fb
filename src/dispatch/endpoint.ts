import type { Sql } from "../db/pool";
import { unixMs } from "../db/sql/time";
import {
  columnOf,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Tuning,
} from "../domain/endpoint-settings";
import type { AccountId, EndpointId } from "../domain/ids";
import { type EarlierSecret, JSON_TYPE, type StoredHeaders } from "../domain/tuning";
import { openHeaders, secretNames } from "../endpoints/request-headers";
import { secretContext } from "../endpoints/signing-secret";
import type { SecretVault } from "../vault/vault";

/** The settings of an endpoint that attempts may depend on: all but the account's own notes. */
export type AttemptSettings = Readonly<Omit<Tuning, "metadata">>;

/** The endpoint as its attempts need it, as of a revision. `maxInFlight` is 1 where ordered, and while it probes. */
export type EndpointView = AttemptSettings &
  Readonly<{
    revision: number;
    url: string;
    /** The newest signing secret, which does not expire. */
    secrets: readonly string[];
    /** Replaced secrets that still sign, newest first. */
    expiringSecrets: readonly ExpiringSecret[];
    /** Headers that the account adds, and the media type if it is not JSON itself; names in lower case. Null: none. */
    headers: Readonly<Record<string, string>> | null;
    /** The names of those headers whose values are secret. */
    secretHeaders: readonly string[];
    /** Time since which every attempt has failed, in Unix milliseconds; null: the last attempt succeeded. */
    failingSince: number | null;
    /** True after the receiver asked for a rest, until the next success. Then attempts are made one at a time. */
    probes: boolean;
  }>;

type ReadName = Exclude<SettingName, "metadata">;
const READ = SETTING_NAMES.filter((name): name is ReadName => name !== "metadata").map((name) => ({
  name,
  column: columnOf(name),
  usual: SETTINGS[name].default,
}));
const NOTHING: readonly never[] = [];

/** An ordinary endpoint: the defaults of its settings, and no failure. */
export const PLAIN: Omit<EndpointView, "revision" | "url" | "secrets"> = {
  ...settingsBy(({ usual }) => usual),
  maxInFlight: 1,
  expiringSecrets: NOTHING,
  headers: null,
  secretHeaders: NOTHING,
  failingSince: null,
  probes: false,
};

function settingsBy(valueIn: (setting: (typeof READ)[number]) => unknown): AttemptSettings {
  return Object.fromEntries(READ.map((each) => [each.column, valueIn(each)])) as AttemptSettings;
}

/** True when the next success is to be written to the endpoint. */
export function needsRecovery({
  failingSince,
  probes,
}: Pick<EndpointView, "failingSince" | "probes">): boolean {
  return failingSince !== null || probes;
}

/** A replaced secret, which signs until a time in Unix milliseconds. */
export type ExpiringSecret = Readonly<{ secret: string; until: number }>;

/** Returns the secrets that sign at a moment, newest first. A secret expires without a message. */
export function secretsAt({ secrets, expiringSecrets }: EndpointView, now: number): readonly string[] {
  if (expiringSecrets.length === 0) return secrets;
  const lasting = expiringSecrets.filter(({ until }) => now < until);
  return [...secrets, ...lasting.map(({ secret }) => secret)];
}

/** The columns of the endpoint, in every row of its page. */
export type EndpointColumns = AttemptSettings & {
  endpointId: EndpointId;
  accountId: AccountId;
  revision: number;
  lastSequence: number;
  queueRevision: number;
  /** Null if its receiver reads its deliveries, so that a dispatcher has none. */
  url: string | null;
  signingSecret: string;
  earlierSecrets: EarlierSecret[] | null;
  storedHeaders: StoredHeaders | null;
  isActive: boolean;
  failingSince: number | null;
  /** Milliseconds until the endpoint's rest ends; negative if it is over, null if there is none. */
  restsInMs: number | null;
  /** Milliseconds until nothing is in flight any more in the way from which it was switched; as `restsInMs`. */
  switchedInMs: number | null;
};

/** The columns of an endpoint that is pushed. */
export type PushedColumns = EndpointColumns & { url: string };

/** SQL: the settings of `e`, whose columns have the names of the API. */
const SETTING_COLUMNS = READ.map(({ name, column }) => `${readable(name)} as "${column}"`).join(", ");

function readable(name: ReadName): string {
  const { kind } = SETTINGS[name];
  if (kind === "statuses") return `to_json(e.${name})`;
  return kind === "word" ? `e.${name}::text` : `e.${name}`;
}

/** SQL: the columns of `EndpointColumns`, over `e` of endpoints and its `m` of mailboxes. */
export function endpointColumns(sql: Sql) {
  return sql`
    e.id as "endpointId", e.account_id as "accountId", m.revision, m.last_sequence as "lastSequence",
    m.queue_revision as "queueRevision", e.url, e.signing_secret as "signingSecret", e.earlier_secrets as "earlierSecrets",
    e.headers as "storedHeaders", e.is_active as "isActive", ${unixMs(sql, "e.failing_since")} as "failingSince",
    (extract(epoch from e.rests_until - now()) * 1000)::float8 as "restsInMs",
    (extract(epoch from e.switched_until - now()) * 1000)::float8 as "switchedInMs", ${sql.unsafe(SETTING_COLUMNS)}
  `;
}

/** Opens a sealed secret. Throws if it can't. */
export type OpenSecret = SecretVault["open"];

export function viewOf(row: PushedColumns, openSecret: OpenSecret): EndpointView {
  const { accountId, endpointId, revision, url, failingSince, ordering, storedHeaders, earlierSecrets } = row;
  const open = (sealed: string) => openSecret(sealed, secretContext(accountId, endpointId));
  const probes = row.restsInMs !== null;
  const headers = openHeaders(storedHeaders, openSecret, accountId, endpointId);
  return {
    ...settingsBy(({ column, usual }) => shared(row[column], usual)),
    maxInFlight: ordering === "ordered" || probes ? 1 : row.maxInFlight,
    revision,
    url,
    failingSince,
    probes,
    secrets: [open(row.signingSecret)],
    expiringSecrets:
      earlierSecrets?.map(({ sealed, until }) => ({ secret: open(sealed), until })) ?? PLAIN.expiringSecrets,
    headers: row.contentType === JSON_TYPE ? headers : { ...headers, "content-type": row.contentType },
    secretHeaders: storedHeaders === null ? PLAIN.secretHeaders : secretNames(storedHeaders),
  };
}

/** Returns the default itself for a value that equals it. So most endpoints in memory share their texts and lists. */
function shared(value: unknown, usual: unknown): unknown {
  return Bun.deepEquals(value, usual) ? usual : value;
}
