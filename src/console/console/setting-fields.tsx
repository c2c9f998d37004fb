import type { FormControl } from "../../domain/endpoint-settings";
import { CONTROLLED, type ControlledSetting, type SettingTexts } from "./setting-texts";

type FieldProps = { control: FormControl; value: string; onInput(value: string): void };

/** The fields of the settings, by their table. */
export function SettingFields({
  texts,
  onChange,
}: {
  texts: SettingTexts;
  onChange(changes: SettingTexts): void;
}) {
  const shown = CONTROLLED.filter(([, { control }]) => control.ignoredIf !== texts.ordering);
  const fields = (having: (setting: ControlledSetting) => boolean) =>
    shown
      .filter(([, setting]) => having(setting))
      .map(([name, { control }]) => {
        const Field = fieldOf(control);
        const onInput = (value: string) => onChange({ [name]: value });
        return <Field key={name} control={control} value={texts[name] ?? ""} onInput={onInput} />;
      });
  return (
    <>
      {fields(({ control }) => control.explained !== undefined)}
      <div class="pair">{fields(isNumber)}</div>
      {fields((setting) => setting.control.explained === undefined && !isNumber(setting))}
    </>
  );
}

function isNumber({ kind }: ControlledSetting): boolean {
  return kind === "whole" || kind === "number";
}

function fieldOf({ explained, choices }: FormControl) {
  if (explained) return Choices;
  return choices ? Select : Text;
}

function Choices({ control, value: chosen, onInput }: FieldProps) {
  return (
    <fieldset class="choices">
      <legend>{control.label}</legend>
      {Object.entries(control.explained ?? {}).map(([value, [title, detail]]) => (
        <label class="tick" key={value}>
          <input
            type="radio"
            name={control.label}
            checked={chosen === value}
            onChange={() => onInput(value)}
          />
          <span class="two">
            <span class="strong">{title}</span>
            <small>{detail}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Select({ control: { label, choices = {}, unusual = [] }, value: chosen, onInput }: FieldProps) {
  return (
    <label>
      {label}
      <select class="input" value={chosen} onChange={(event) => onInput(event.currentTarget.value)}>
        {Object.entries(choices)
          .filter(([value]) => value === chosen || !unusual.includes(value))
          .map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
      </select>
    </label>
  );
}

function Text({ control: { label, hint, placeholder, rows }, value, onInput }: FieldProps) {
  const field = {
    class: "input",
    value,
    placeholder,
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  };
  return (
    <label>
      {label}
      {rows === undefined ? <input {...field} /> : <textarea rows={rows} {...field} />}
      <small>{hint}</small>
    </label>
  );
}
