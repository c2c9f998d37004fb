import { type TOptional, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import { badRequest } from "../../api/errors";
import { mapOf, nullable, optional, text, words } from "../../api/openapi/schema";
import {
  columnOf,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingFields,
  type SettingName,
  type Tuning,
  type TuningPatch,
} from "../../domain/endpoint-settings";

/** The settings whose values the audit log shows. */
export const AUDITED_SETTINGS = SETTING_NAMES.filter((name) => {
  const setting: Setting = SETTINGS[name];
  return setting.isAudited;
});

/** The settings of an endpoint, in every answer. */
export const settingsModel = fieldsOf(allowed) as { [Name in SettingName]: TUnsafe<SettingFields[Name]> };

/** The settings of an endpoint, in a request that creates it. */
export const newSettings = fieldsOf((setting) => optional(schemaOf(setting))) as {
  [Name in SettingName]: TOptional<TUnsafe<SettingFields[Name] | null>>;
};

/** The settings of an endpoint, in a request that changes it. Absent fields stay unchanged. */
export const changedSettings = fieldsOf((setting) => Type.Optional(allowed(setting))) as {
  [Name in SettingName]: TOptional<TUnsafe<SettingFields[Name]>>;
};

export const SETTINGS_EXAMPLE = fieldsOf(({ example }) => example) as SettingFields;

/** Reads the settings. Throws 400 for conditions that the model can't express. */
export function readSettings(body: { [Name in SettingName]?: SettingFields[Name] | null }): TuningPatch {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [columnOf(name), read(name, body[name])]),
  ) as TuningPatch;
}

export function viewOfSettings(tuning: Tuning): SettingFields {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, tuning[columnOf(name)]])) as SettingFields;
}

function fieldsOf<Field>(make: (setting: Setting) => Field): Record<SettingName, Field> {
  const fields = SETTING_NAMES.map((name) => [name, make(SETTINGS[name])]);
  return Object.fromEntries(fields) as Record<SettingName, Field>;
}

type Readable = Pick<Setting, "isNullable"> & {
  kind: string;
  problem?(value: SettingFields[SettingName]): string | null;
};

/** Null counts as absent if the setting can't be null. */
function read<Name extends SettingName>(
  name: Name,
  value: SettingFields[Name] | null | undefined,
): SettingFields[Name] | null | undefined {
  const { isNullable, problem: find }: Readable = SETTINGS[name];
  if (value === undefined || value === null) return isNullable && value;
  const problem = find?.(value) ?? null;
  if (problem !== null) throw badRequest(`${name} ${problem}`);
  return value;
}

function allowed(setting: Setting): TSchema {
  return setting.isNullable ? nullable(schemaOf(setting)) : schemaOf(setting);
}

function schemaOf(setting: Setting): TSchema {
  const description = setting.text;
  switch (setting.kind) {
    case "whole":
      return Type.Integer({ minimum: setting.least, maximum: setting.most, description });
    case "number":
      return Type.Number({ minimum: setting.least, maximum: setting.most, description });
    case "waits":
      return Type.Array(integerOf(setting.each), { maxItems: setting.most, description });
    case "statuses": {
      const { least, most } = setting.each;
      return Type.Array(integerOf(setting.each), {
        maxItems: most - least + 1,
        uniqueItems: true,
        description,
      });
    }
    case "word":
      return words(setting.name, setting.words, { description });
    case "text":
      return text({ maxLength: setting.most, pattern: setting.pattern, description });
    case "switch":
      return Type.Boolean({ description });
    case "notes":
      return mapOf(text({ maxLength: setting.most }), description);
  }
}

function integerOf({ least, most }: { least: number; most: number }): TSchema {
  return Type.Integer({ minimum: least, maximum: most });
}
