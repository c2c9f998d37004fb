import type { Endpoint, EndpointChanges } from "../../client/types";
import {
  type FormControl,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingFields,
  type SettingName,
} from "../../domain/endpoint-settings";
import { linesOf, valuesIn } from "../shared/name-lines";
import { visible } from "../shared/visible-text";

/** The settings of an endpoint that have a field in the form, as the form's texts. */
export type SettingTexts = Readonly<Partial<Record<SettingName, string>>>;

/** A setting with a field in the form. */
export type ControlledSetting = Setting & { control: FormControl };

/** The settings of the form, in its order. */
export const CONTROLLED = SETTING_NAMES.map((name): [SettingName, Setting] => [name, SETTINGS[name]])
  .filter((entry): entry is [SettingName, ControlledSetting] => entry[1].control !== undefined)
  .toSorted(([, a], [, b]) => a.control.place - b.control.place);

/** The texts of a new endpoint. */
export const NEW_TEXTS = textsIn((_, setting) => setting.default);

export function textsOf(endpoint: Pick<Endpoint, SettingName>): SettingTexts {
  return textsIn((name) => endpoint[name]);
}

/** Returns the settings that the texts say. The service checks every value. */
export function valuesOf(texts: SettingTexts): Partial<Pick<EndpointChanges, SettingName>> {
  const values = CONTROLLED.map(([name, setting]) => [name, valueIn(setting, texts[name] ?? "")]);
  return Object.fromEntries(values) as Partial<SettingFields>;
}

/** Returns the settings in words: the label and the value of each. */
export function settingFacts(endpoint: Pick<Endpoint, SettingName>): (readonly [string, string])[] {
  const texts = textsOf(endpoint);
  return CONTROLLED.filter(([, { control }]) => control.ignoredIf !== texts.ordering).map(
    ([name, setting]) => [setting.control.label, wordsOf(setting, texts[name] ?? "")] as const,
  );
}

function wordsOf({ kind, control }: ControlledSetting, text: string): string {
  if (text === "") return control.placeholder ?? "none";
  const choice = control.explained?.[text]?.[0] ?? control.choices?.[text];
  if (choice !== undefined) return choice;
  const unit = kind === "whole" || kind === "number" ? control.hint : control.inSeconds && "seconds";
  return visible(unit ? `${text} ${unit}` : text);
}

function textsIn(value: (name: SettingName, setting: Setting) => unknown): SettingTexts {
  return Object.fromEntries(
    CONTROLLED.map(([name, setting]) => [name, textOf(setting, value(name, setting))]),
  );
}

function textOf({ kind, control }: ControlledSetting, value: unknown): string {
  const shown = (each: unknown) => (control.inSeconds ? Number(each) / 1_000 : each);
  if (value === null) return "";
  if (kind === "notes") return linesOf(value as Record<string, string>);
  return Array.isArray(value) ? value.map(shown).join(", ") : String(shown(value));
}

function valueIn({ kind, isNullable, control }: ControlledSetting, text: string): unknown {
  const meant = (each: string) => (control.inSeconds ? Math.round(Number(each) * 1_000) : Number(each));
  switch (kind) {
    case "whole":
    case "number":
      return isNullable && text.trim() === "" ? null : meant(text);
    case "waits":
    case "statuses": {
      const numbers = text
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(meant);
      return isNullable && numbers.length === 0 ? null : numbers;
    }
    case "switch":
      return text === "true";
    case "notes":
      return valuesIn(text);
    default:
      return text;
  }
}
