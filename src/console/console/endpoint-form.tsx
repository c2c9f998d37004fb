import { useState } from "preact/hooks";
import type { Endpoint, EndpointChanges } from "../../client/types";
import { isTest } from "../../domain/test-event";
import { visible } from "../shared/visible-text";
import { useEventTypes } from "./data";
import { SettingFields } from "./setting-fields";
import { NEW_TEXTS, type SettingTexts, textsOf, valuesOf } from "./setting-texts";

/** The settings of an endpoint in the form: texts. */
export type Settings = Readonly<{ url: string; description: string; events: string; others: SettingTexts }>;

export const NEW: Settings = { url: "", description: "", events: "*", others: NEW_TEXTS };

export function settingsOf(endpoint: Endpoint): Settings {
  return {
    url: endpoint.url,
    description: endpoint.description ?? "",
    events: endpoint.event_filter,
    others: textsOf(endpoint),
  };
}

/** Returns the body of a request with these settings. The service checks every value. */
export function changesOf({ url, description, events, others }: Settings): EndpointChanges {
  return {
    url: url.trim(),
    description: description.trim() || null,
    event_filter: events.trim() || "*",
    ...valuesOf(others),
  };
}

type Fields = { settings: Settings; onChange(changes: Partial<Settings>): void };

export function AddressFields({ settings, onChange }: Fields) {
  return (
    <>
      <label>
        URL
        <input
          class="input mono"
          type="url"
          required
          placeholder="https://customer.example.com/webhooks"
          value={settings.url}
          onInput={(event) => onChange({ url: event.currentTarget.value })}
        />
      </label>
      <label>
        Name
        <input
          class="input"
          placeholder="Production"
          value={settings.description}
          onInput={(event) => onChange({ description: event.currentTarget.value })}
        />
        <small>What people call it. Without one the host of the URL is shown.</small>
      </label>
    </>
  );
}

/** Shows a checkbox per event type in use, grouped by the part before the first dot, and patterns as text. */
export function EventFields({ settings, onChange }: Fields) {
  const types =
    useEventTypes()
      .data?.map(({ event_type }) => event_type)
      .filter((type) => !isTest(type)) ?? [];
  const chosen = settings.events
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
  const groups = Map.groupBy(types.toSorted(), (type) => type.split(".")[0] ?? type);
  const set = (pattern: string, isOn: boolean, covers: readonly string[] = []) => {
    const rest = chosen.filter((each) => each !== pattern && each !== "*" && !covers.includes(each));
    onChange({ events: (isOn ? [...rest, pattern] : rest).join(", ") || "*" });
  };
  const isAll = chosen.includes("*");
  return (
    <>
      <label class="tick">
        <input type="checkbox" checked={isAll} onChange={() => onChange({ events: "*" })} />
        All events, also those that come later
      </label>
      {[...groups].slice(0, 40).map(([group, members]) => {
        const pattern = `${group}.*`;
        const isWhole = isAll || chosen.includes(pattern);
        return (
          <fieldset class="group" key={group}>
            <label class="tick">
              <input
                type="checkbox"
                checked={isWhole}
                disabled={isAll}
                onChange={(event) => set(pattern, event.currentTarget.checked, members)}
              />
              <code>{visible(pattern)}</code>
            </label>
            <div class="members">
              {members
                .filter((type) => type !== group)
                .map((type) => (
                  <label class="tick" key={type}>
                    <input
                      type="checkbox"
                      checked={isWhole || chosen.includes(type)}
                      disabled={isWhole}
                      onChange={(event) => set(type, event.currentTarget.checked)}
                    />
                    <code>{visible(type)}</code>
                  </label>
                ))}
            </div>
          </fieldset>
        );
      })}
      <label>
        As patterns
        <input
          class="input mono"
          value={settings.events}
          onInput={(event) => onChange({ events: event.currentTarget.value })}
        />
        <small>
          An event type, <code>invoice.*</code> for all that begin so, or <code>*</code>; several with commas
          between them.
        </small>
      </label>
    </>
  );
}

export function OrderFields({ settings: { others }, onChange }: Fields) {
  return (
    <SettingFields texts={others} onChange={(changes) => onChange({ others: { ...others, ...changes } })} />
  );
}

export function useSettings(first: Settings) {
  const [settings, setSettings] = useState(first);
  return { settings, onChange: (changes: Partial<Settings>) => setSettings({ ...settings, ...changes }) };
}
