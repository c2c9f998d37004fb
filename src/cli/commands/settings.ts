import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { SETTING_NAMES, SETTINGS, type Setting } from "../../domain/endpoint-settings";
import type { Flags, OwnOptions } from "../field";
import { NONE, type None, named, numberOrNone, oneOf, wholeNumber, wholeNumberOrNone } from "./values";

type Headers = Readonly<Record<string, string>>;

/** The options for an endpoint's settings: those of the table of settings, and those of its headers. */
export const ENDPOINT_OPTIONS: OwnOptions = {
  fields: [...SETTING_NAMES, "headers", "sensitive_headers"],
  options: (isChange) => [
    ...headerOptions(),
    ...SETTING_NAMES.flatMap((name) => optionsOf(SETTINGS[name])),
    ...(isChange ? REMOVING : []),
  ],
  read: (flags) => ({ ...headersOf(flags), ...fieldsOf(flags) }),
};

const REMOVING = [
  new Option("--no-header", "remove all headers"),
  new Option("--no-metadata", "remove all metadata"),
];

function headerOptions(): Option[] {
  const header = new Option("--header <name: value>", "a header of every request; may be repeated");
  const secret = new Option(
    "--secret-header <name: value>",
    "a header that is stored encrypted and never shown; may be repeated",
  );
  return [header, secret].map((option) => option.argParser<Headers>(readHeader));
}

function fieldsOf(flags: Flags): object {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [name, meaningOf(SETTINGS[name], flags[nameOf(SETTINGS[name])])]),
  );
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
      return setting.isNullable ? wholeNumberOrNone(1) : wholeNumber(1);
    case "number":
      return numberOrNone;
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
function headersOf({ header, secretHeader }: Flags): object {
  if (header === undefined && secretHeader === undefined) return {};
  const secrets = secretHeader instanceof Object ? secretHeader : {};
  return {
    headers: { ...(header instanceof Object && header), ...secrets },
    sensitive_headers: Object.keys(secrets),
  };
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

function readNote(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [name, value] = named(text, "=");
  return { ...before, [name]: value };
}
