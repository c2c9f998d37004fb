import { lengthOf, textProblem } from "../runtime/text/plain-text";
import { BODY_FORMATS, CONTENT_TYPE, JSON_TYPE, ON_EXHAUSTED, ORDERINGS, WHILE_INACTIVE } from "./tuning";

/** A setting of an endpoint, by the kind of its value. The API, the command line and the console make their fields of it. */
export type Setting = Whole | Decimal | Waits | Statuses | Word | Text | Switch | Notes;

type Common<Value> = {
  /** The API's description. */
  text: string;
  default: Value;
  /** In the API's examples. */
  example: Value;
  /** True if the value may be null: the service's own value, or none. */
  isNullable?: true;
  /** True if the audit log shows its values. */
  isAudited?: true;
  /** Its option on the command line. `without`: the text of `--no-…`. */
  option: { flags: string; text: string; without?: string };
  /** Its field in the console's form; absent: none. */
  control?: FormControl;
  /** Returns what is wrong with a value that its kind allows, such as `must be …`; null if nothing is. */
  problem?(value: Value): string | null;
};
type ValueRange = { least: number; most: number };
type Whole = { kind: "whole" } & ValueRange & Common<number | null>;
type Decimal = { kind: "number" } & ValueRange & Common<number | null>;
/** Milliseconds; `most` items. */
type Waits = { kind: "waits"; each: ValueRange; most: number } & Common<number[] | null>;
type Statuses = { kind: "statuses"; each: ValueRange } & Common<number[]>;
/** One of a few words, which have a name in the API. */
type Word = { kind: "word"; name: string; words: readonly string[] } & Common<string>;
type Text = { kind: "text"; most: number; pattern: string } & Common<string>;
type Switch = { kind: "switch" } & Common<boolean>;
type Notes = { kind: "notes"; most: number } & Common<Record<string, string>>;

/** A field of a form. */
export type FormControl = Readonly<{
  /** Its number among the fields. */
  place: number;
  label: string;
  hint?: string;
  placeholder?: string;
  /** The height of a field of several lines. */
  rows?: number;
  /** True if the form has seconds where the setting has milliseconds. */
  inSeconds?: true;
  /** The word of `ordering` with which the service ignores the setting. */
  ignoredIf?: string;
  /** The texts of its choices. */
  choices?: Choices<string>;
  /** In place of `choices`: texts with explanations. */
  explained?: Explained<string>;
  /** Choices that are there only while they are chosen. */
  unusual?: readonly string[];
}>;

type Choices<W extends string> = Readonly<Record<W, string>>;
type Explained<W extends string> = Readonly<Record<W, readonly [title: string, detail: string]>>;

/** Declares a setting that is one of a few words. If it has a field in the form, each word needs a text. */
function word<const W extends string>(
  row: Omit<Word, "kind" | "words" | "default" | "example" | "control"> & {
    words: readonly W[];
    default: NoInfer<W>;
    example: NoInfer<W>;
    control?: FormControl & ({ choices: Choices<NoInfer<W>> } | { explained: Explained<NoInfer<W>> });
  },
) {
  return { kind: "word" as const, ...row };
}

/** Greatest sum of a schedule's waits, in milliseconds. */
export const MAX_SCHEDULE_MS = 604_800_000;
/** Most entries of an endpoint's metadata, and most characters of their names and values. */
export const METADATA = { entries: 50, nameCharacters: 64, valueCharacters: 512 };

const IS_CONTENT_TYPE = new RegExp(CONTENT_TYPE);

/**
 * The settings of an endpoint besides its URL, filter and headers, by their names in the API. The column of `rate_limit` is
 * `rateLimit`, and so on.
 */
export const SETTINGS = {
  metadata: {
    kind: "notes",
    most: METADATA.valueCharacters,
    default: {},
    example: { team: "payments" },
    text:
      `Your own notes: at most ${METADATA.entries} texts of at most ${METADATA.valueCharacters} characters each, with names of 1 to ` +
      `${METADATA.nameCharacters} characters. A new value replaces the whole object. A portal session sees \`{}\`.`,
    option: { flags: "--metadata <name=value>", text: "your own note; may be repeated" },
    control: {
      place: 13,
      label: "Your notes",
      hint: "a line each, such as team: payments; a condition can read them as metadata",
      placeholder: "none",
      rows: 2,
    },
    problem: metadataProblem,
  },
  retry_schedule_ms: {
    kind: "waits",
    each: { least: 100, most: 86_400_000 },
    most: 20,
    isNullable: true,
    isAudited: true,
    default: null,
    example: [1_000, 30_000, 600_000],
    text:
      "The waits between attempts, in milliseconds, ±10 %. The delivery fails when the attempt after the last wait fails. All waits " +
      `together are at most ${MAX_SCHEDULE_MS} ms; waiting before the first attempt does not count. When a delivery has used ` +
      "up its schedule, each delivery behind it gets a single attempt, one first wait apart, until one succeeds. Empty: a single " +
      "attempt. Null: the service's default.",
    option: {
      flags: "--retry <ms,ms>",
      text: "waits between attempts, or `none` for the service's default",
      without: "make a single attempt",
    },
    control: {
      place: 5,
      label: "Waits between attempts",
      hint: "seconds, with commas between them; a delivery fails after the last",
      placeholder: "the service's",
      inSeconds: true,
    },
    problem: (waits: number[]) =>
      waits.reduce((sum, wait) => sum + wait, 0) > MAX_SCHEDULE_MS
        ? `must add up to at most ${MAX_SCHEDULE_MS} ms`
        : null,
  },
  timeout_ms: {
    kind: "whole",
    least: 100,
    most: 60_000,
    isNullable: true,
    isAudited: true,
    default: null,
    example: null,
    text: "Time limit of a whole attempt, in milliseconds. Null: the service's default.",
    option: {
      flags: "--timeout <ms>",
      text: "time limit of an attempt, or `none` for the service's default",
    },
    control: {
      place: 4,
      label: "Time to answer",
      hint: "seconds",
      placeholder: "the service's",
      inSeconds: true,
    },
  },
  rate_limit: {
    kind: "number",
    least: 0.01,
    most: 1_000,
    isNullable: true,
    isAudited: true,
    default: null,
    example: 50,
    text:
      "Most attempts a second, including retries: no second has more, and for 0.5 no two seconds have more than one. Null: no " +
      "limit.",
    option: { flags: "--rate-limit <n>", text: "attempts per second, such as 0.5, or `none` for no limit" },
    control: { place: 3, label: "Rate limit", hint: "attempts a second", placeholder: "none" },
  },
  ordering: word({
    name: "Ordering",
    words: ORDERINGS,
    isAudited: true,
    default: "ordered",
    example: "ordered",
    text:
      "Which deliveries are sent in order, one at a time. `ordered` (the default): all deliveries of the endpoint. `by_key`: " +
      "deliveries with the same `ordering_key`, and deliveries without a key among themselves. `unordered`: none. A delivery that " +
      "waits for its retry holds back only the deliveries behind it in the same order.",
    option: { flags: "--ordering <mode>", text: "ordered, by_key (in order per ordering key) or unordered" },
    control: {
      place: 1,
      label: "Order",
      explained: {
        ordered: ["In one order", "A delivery that waits for its retry holds back those behind it."],
        by_key: [
          "In an order for each key",
          "Deliveries with the same ordering key follow each other; keys don't wait for each other.",
        ],
        unordered: ["Without an order", "Nothing waits for anything else."],
      },
    },
  }),
  max_in_flight: {
    kind: "whole",
    least: 1,
    most: 100,
    isAudited: true,
    default: 10,
    example: 10,
    text: "Most deliveries that are sent at the same time, 10 by default. An `ordered` endpoint ignores it.",
    option: {
      flags: "--max-in-flight <n>",
      text: "most deliveries in flight at once; an ordered endpoint ignores it",
    },
    control: { place: 2, label: "At the same time", hint: "deliveries", ignoredIf: "ordered" },
  },
  batch_size: {
    kind: "whole",
    least: 1,
    most: 100,
    isAudited: true,
    default: 1,
    example: 1,
    text:
      "Most deliveries of one order in a request, 1 by default. With more, the body is an array of `BatchedEnvelope`, and the " +
      "deliveries that wait go together. Needs the format `envelope`, and `ordered` or `by_key`. If the request fails, each of " +
      "them is sent alone from then on.",
    option: {
      flags: "--batch-size <n>",
      text: "most deliveries of one order in a request; more than 1 needs --format envelope",
    },
    control: {
      place: 10,
      label: "In one request",
      hint: "deliveries; more than 1 needs the body in an envelope",
      ignoredIf: "unordered",
    },
  },
  while_inactive: word({
    name: "WhileInactive",
    words: WHILE_INACTIVE,
    isAudited: true,
    default: "hold",
    example: "hold",
    text:
      "`hold` (the default): events published while it is inactive wait for it as pending, in order. `skip`: they make no " +
      "delivery for it. Deliveries by POST /webhooks wait either way.",
    option: {
      flags: "--while-inactive <mode>",
      text: "hold events while it is inactive, or skip them",
    },
    control: {
      place: 8,
      label: "While it is paused",
      choices: { hold: "keep its events, in order", skip: "skip events" },
    },
  }),
  on_exhausted: word({
    name: "OnExhausted",
    words: ON_EXHAUSTED,
    isAudited: true,
    default: "skip",
    example: "skip",
    text:
      "What happens when a delivery has used up its schedule. `skip` (the default): it fails, and the next one follows. `pause`: it stays " +
      "pending and first in its order, and the endpoint is set inactive with the health's reason `exhausted`. Each time that you set " +
      "`is_active` to true, the delivery gets one more attempt; cancel it to pass it. A delivery that fails at once, by " +
      "`permanent_statuses` or `webhook-delivery: abort-message`, is passed either way.",
    option: {
      flags: "--on-exhausted <mode>",
      text: "when a delivery has used up its schedule: skip it (the default), or pause the endpoint at it",
    },
    control: {
      place: 7,
      label: "When a delivery has failed at every attempt",
      choices: {
        skip: "let it fail and go on with the next",
        pause: "stop at it until somebody resumes the endpoint",
      },
    },
  }),
  permanent_statuses: {
    kind: "statuses",
    each: { least: 400, most: 499 },
    isAudited: true,
    default: [],
    example: [422],
    text: "HTTP statuses that fail a delivery at once, instead of a retry. None by default.",
    option: {
      flags: "--permanent-statuses <status,status>",
      text: "HTTP statuses that fail a delivery at once, or `none`",
    },
    control: {
      place: 6,
      label: "Statuses that fail a delivery at once",
      hint: "such as 410, 422",
      placeholder: "none",
    },
  },
  format: word({
    name: "BodyFormat",
    words: BODY_FORMATS,
    isAudited: true,
    default: "payload",
    example: "payload",
    text:
      "The form of the body. `payload` (the default): the payload alone. `envelope`: an `Envelope` around the payload, as Standard " +
      "Webhooks recommends, so the signature covers the event type. `cloudevents`: a `CloudEvent` (1.0, structured mode). " +
      "`cloudevents_binary`: the payload, with the attributes in `ce-*` headers (binary mode), which the signature does not cover. " +
      "These four keep the payload byte for byte. `slack` and `teams`: a message for people, as incoming webhooks of Slack and Workflows of Microsoft Teams take it; for `feed` above all. `email`: an " +
      "e-mail in plain text to the address of a `mailto:` URL; only with `feed: true`, and without `headers`.",
    option: {
      flags: "--format <form>",
      text: "the body: payload (the default), envelope, cloudevents, cloudevents_binary, slack, teams or email",
    },
    control: {
      place: 9,
      label: "Body",
      choices: {
        payload: "the payload",
        envelope: "the payload in an envelope, as Standard Webhooks recommends",
        cloudevents: "a CloudEvent, structured",
        cloudevents_binary: "a CloudEvent, binary: attributes in headers",
        slack: "a message for Slack",
        teams: "a message for Microsoft Teams",
        email: "an e-mail",
      },
      // Only a feed can send e-mail, and the form makes no feeds.
      unusual: ["email"],
    },
  }),
  content_type: {
    kind: "text",
    most: 128,
    pattern: CONTENT_TYPE,
    default: JSON_TYPE,
    example: JSON_TYPE,
    text:
      `The payload's \`content-type\`: \`${JSON_TYPE}\` (the default) or \`application/…+json\`. The format \`cloudevents\` sends it as ` +
      "`datacontenttype`.",
    option: {
      flags: "--content-type <type>",
      text: "application/json (the default) or application/…+json",
    },
    control: {
      place: 11,
      label: "Content type",
      hint: `${JSON_TYPE}, or one such as application/cloudevents+json`,
    },
    problem: (type: string) =>
      IS_CONTENT_TYPE.test(type) ? null : `must be ${JSON_TYPE}, or one such as application/vnd.acme+json`,
  },
  traceparent: {
    kind: "switch",
    default: false,
    example: false,
    text:
      "True: requests of deliveries whose trace is sampled carry `traceparent` (W3C Trace Context), so that the receiver can " +
      "continue the sender's trace. False is the default, since the header shows a receiver systems that are not its own.",
    option: {
      flags: "--traceparent",
      text: "send traceparent with traced deliveries",
      without: "send no traceparent (the default)",
    },
    control: {
      place: 12,
      label: "Trace of the sender",
      choices: { false: "not sent", true: "sent as traceparent, so that the receiver can continue it" },
    },
  },
} as const satisfies Record<string, Setting>;

type SettingRows = typeof SETTINGS;
export type SettingName = keyof SettingRows;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

type ValueOf<S extends Setting> =
  | {
      whole: number;
      number: number;
      waits: number[];
      statuses: number[];
      word: S extends Word ? S["words"][number] : never;
      text: string;
      switch: boolean;
      notes: Record<string, string>;
    }[S["kind"]]
  | (S extends { isNullable: true } ? null : never);

/** The settings as the API writes them. */
export type SettingFields = { [Name in SettingName]: ValueOf<SettingRows[Name]> };

type Camel<Text extends string> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;
/** The settings by the names of their columns. */
export type Tuning = { [Name in SettingName as Camel<Name>]: Readonly<SettingFields[Name]> };
/** Changes to settings. Absent or undefined settings stay unchanged. */
export type TuningPatch = { [Name in keyof Tuning]?: Tuning[Name] | undefined };

/** Returns the name of a setting's column. */
export function columnOf<Name extends SettingName>(name: Name): Camel<Name> {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as Camel<Name>;
}

function metadataProblem(entries: Record<string, string>): string | null {
  const { entries: most, nameCharacters: longest } = METADATA;
  const names = Object.keys(entries);
  if (names.length > most) return `must have at most ${most} entries`;
  for (const name of names) {
    if (name === "" || lengthOf(name) > longest) return `must have names with 1 to ${longest} characters`;
    const problem = textProblem(name);
    if (problem) return `has a name that ${problem}`;
  }
  return null;
}
