import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { EndpointChanges } from "../../client";
import { NONE, type None, named, numberOrNone, oneOf, orNull, wholeNumber } from "./values";

type Ordering = NonNullable<EndpointChanges["ordering"]>;
type Headers = NonNullable<EndpointChanges["headers"]>;

const readWhileInactive = oneOf<NonNullable<EndpointChanges["while_inactive"]>>({ hold: true, skip: true });
const readOnExhausted = oneOf<NonNullable<EndpointChanges["on_exhausted"]>>({ skip: true, pause: true });
const readFormat = oneOf<NonNullable<EndpointChanges["format"]>>({
  payload: true,
  envelope: true,
  slack: true,
  teams: true,
  email: true,
});
const readOrdering = oneOf<Ordering>({ ordered: true, by_key: true, unordered: true });

/** A flag that `--no-…` turns into false. */
type Negatable<T> = T | false | undefined;

export type SettingsFlags = {
  description?: Negatable<string>;
  filter?: string | undefined;
  payloadFilter?: Negatable<string>;
  header?: Negatable<Headers>;
  secretHeader?: Headers | undefined;
  metadata?: Negatable<Record<string, string>>;
  feed?: boolean | undefined;
  ordering?: Ordering | undefined;
  maxInFlight?: number | undefined;
  rateLimit?: number | None | undefined;
  timeout?: number | None | undefined;
  retry?: Negatable<number[] | None>;
  whileInactive?: EndpointChanges["while_inactive"];
  onExhausted?: EndpointChanges["on_exhausted"];
  permanentStatuses?: number[] | None | undefined;
  format?: EndpointChanges["format"];
  contentType?: string | undefined;
  traceparent?: boolean | undefined;
};

/** Adds the options for an endpoint's settings to a command. */
export function withSettings(command: Command<[string]>) {
  return command
    .option("--description <text>", "a description for people")
    .option("--filter <pattern>", "event types, `<resource>.*` or `*` (the default), separated by commas")
    .option("--payload-filter <cel>", "a condition on events, such as `data.total > 100`")
    .option("--header <name: value>", "a header of every request; may be repeated", readHeader)
    .option(
      "--secret-header <name: value>",
      "a header that is stored encrypted and never shown; may be repeated",
      readHeader,
    )
    .option("--metadata <name=value>", "your own note; may be repeated", readNote)
    .option("--feed", "receive Hermod's own reports instead of events")
    .option("--ordering <mode>", "ordered, by_key (in order per ordering key) or unordered", readOrdering)
    .option(
      "--max-in-flight <n>",
      "most deliveries in flight at once; an ordered endpoint ignores it",
      wholeNumber(1),
    )
    .option("--rate-limit <n>", "attempts per second, or `none` for no limit", numberOrNone(1))
    .option(
      "--timeout <ms>",
      "time limit of an attempt, or `none` for the service's default",
      numberOrNone(1),
    )
    .option("--retry <ms,ms>", "waits between attempts, or `none` for the service's default", readWaits)
    .option("--no-retry", "make a single attempt")
    .option(
      "--permanent-statuses <status,status>",
      "HTTP statuses that fail a delivery at once, or `none`",
      readStatuses,
    )
    .option("--format <form>", "the body: payload (the default), envelope, slack, teams or email", readFormat)
    .option("--content-type <type>", "application/json (the default) or application/…+json")
    .option("--traceparent", "send traceparent with traced deliveries")
    .option("--no-traceparent", "send no traceparent (the default)")
    .option(
      "--on-exhausted <mode>",
      "when a delivery has used up its schedule: skip it (the default), or pause the endpoint at it",
      readOnExhausted,
    )
    .option("--while-inactive <mode>", "hold events while it is inactive, or skip them", readWhileInactive);
}

/** Converts the options to the API's fields. */
export function settingsOf(flags: SettingsFlags) {
  const { description, metadata, retry } = flags;
  return {
    description: description === false ? null : description,
    event_filter: flags.filter,
    filter: flags.payloadFilter === false ? null : flags.payloadFilter,
    ...headersOf(flags),
    metadata: metadata === false ? {} : metadata,
    feed: flags.feed,
    ordering: flags.ordering,
    max_in_flight: flags.maxInFlight,
    rate_limit: orNull(flags.rateLimit),
    timeout_ms: orNull(flags.timeout),
    retry_schedule_ms: retry === false ? [] : orNull(retry),
    while_inactive: flags.whileInactive,
    on_exhausted: flags.onExhausted,
    permanent_statuses: flags.permanentStatuses === NONE ? [] : flags.permanentStatuses,
    format: flags.format,
    content_type: flags.contentType,
    traceparent: flags.traceparent,
  } satisfies EndpointChanges;
}

/** Collects all headers and the names of the secret ones. The API replaces headers as a whole. */
function headersOf({ header, secretHeader }: SettingsFlags) {
  if (header === undefined && secretHeader === undefined) return {};
  return { headers: { ...header, ...secretHeader }, sensitive_headers: Object.keys(secretHeader ?? {}) };
}

/** Reads waits, separated by commas. */
function readWaits(text: string): number[] | None {
  if (text === NONE) return NONE;
  if (text === "") throw new InvalidArgumentError("It must be milliseconds separated by commas.");
  return text.split(",").map((each) => wholeNumber(0)(each.trim()));
}

/** Reads HTTP statuses, separated by commas. */
function readStatuses(text: string): number[] | None {
  return text === NONE ? NONE : text.split(",").map((each) => wholeNumber(400, 499)(each.trim()));
}

function readHeader(text: string, before: Headers = {}): Headers {
  const [name, value] = named(text, ":");
  return { ...before, [name.trim()]: value.trim() };
}

export function readNote(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [name, value] = named(text, "=");
  return { ...before, [name]: value };
}
