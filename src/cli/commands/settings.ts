import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { EndpointChanges } from "../../client";
import {
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingFields,
  type SettingName,
} from "../../domain/endpoint-settings";
import { NONE, type None, named, numberOrNone, oneOf, wholeNumber } from "./values";

type Headers = NonNullable<EndpointChanges["headers"]>;

/** A flag that `--no-…` turns into false. */
type Negatable<T> = T | false | undefined;

/** The options that `withSettings` adds by name, and those of the table of settings. */
export type SettingsFlags = {
  description?: Negatable<string>;
  filter?: string | undefined;
  payloadFilter?: Negatable<string>;
  header?: Negatable<Headers>;
  secretHeader?: Headers | undefined;
  feed?: boolean | undefined;
} & Readonly<Record<string, unknown>>;

/** Adds the options for an endpoint's settings to a command. */
export function withSettings(command: Command<[string]>) {
  const all = command
    .option("--description <text>", "a description for people")
    .option("--filter <pattern>", "event types, `<resource>.*` or `*` (the default), separated by commas")
    .option("--payload-filter <cel>", "a condition on events, such as `data.total > 100`")
    .option("--header <name: value>", "a header of every request; may be repeated", readHeader)
    .option(
      "--secret-header <name: value>",
      "a header that is stored encrypted and never shown; may be repeated",
      readHeader,
    )
    .option("--feed", "receive Hermod's own reports instead of events");
  for (const name of SETTING_NAMES) for (const option of optionsOf(SETTINGS[name])) all.addOption(option);
  return all;
}

/** Converts the options to the API's fields. */
export function settingsOf(flags: SettingsFlags) {
  const { description } = flags;
  return {
    description: description === false ? null : description,
    event_filter: flags.filter,
    filter: flags.payloadFilter === false ? null : flags.payloadFilter,
    ...headersOf(flags),
    feed: flags.feed,
    ...fieldsOf(flags),
  } satisfies EndpointChanges;
}

function fieldsOf(flags: SettingsFlags): Partial<SettingFields> {
  const fields = SETTING_NAMES.map((name): [SettingName, unknown] => {
    const setting: Setting = SETTINGS[name];
    return [name, meaningOf(setting, flags[nameOf(setting)])];
  });
  return Object.fromEntries(fields) as Partial<SettingFields>;
}

function nameOf({ option }: Setting): string {
  return new Option(option.flags).attributeName();
}

/** Gives the words for an empty value their meaning: `none`, and `--no-…`. */
function meaningOf({ kind, isNullable }: Setting, given: unknown): unknown {
  if (given === NONE && kind !== "text") return isNullable ? null : [];
  if (given !== false) return given;
  return kind === "notes" ? {} : kind === "waits" ? [] : false;
}

function optionsOf(setting: Setting): Option[] {
  const { flags, text, without } = setting.option;
  const option = new Option(flags, text);
  const reader = readerOf(setting);
  if (reader) option.argParser<unknown>(reader);
  const [name] = flags.split(" ");
  return without === undefined ? [option] : [option, new Option(`--no-${name?.slice(2)}`, without)];
}

/** Returns what reads an option's text; null for a text as it is, and for an option without one. The service checks limits. */
function readerOf(setting: Setting): ((text: string, before?: unknown) => unknown) | null {
  switch (setting.kind) {
    case "whole":
      return setting.isNullable ? numberOrNone(1) : wholeNumber(1);
    case "waits":
      return readWaits;
    case "statuses":
      return readStatuses(setting.each.least, setting.each.most);
    case "word":
      return oneOf(Object.fromEntries(setting.words.map((each) => [each, true as const])));
    case "notes":
      return (text, before) => readNote(text, before as Record<string, string> | undefined);
    case "text":
    case "switch":
      return null;
  }
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
function readStatuses(least: number, most: number) {
  return (text: string): number[] | None =>
    text === NONE ? NONE : text.split(",").map((each) => wholeNumber(least, most)(each.trim()));
}

function readHeader(text: string, before: Headers = {}): Headers {
  const [name, value] = named(text, ":");
  return { ...before, [name.trim()]: value.trim() };
}

export function readNote(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [name, value] = named(text, "=");
  return { ...before, [name]: value };
}
