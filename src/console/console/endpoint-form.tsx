import { useState } from "preact/hooks";
import type { Endpoint, EndpointChanges } from "../../client/types";
import { isTest } from "../../domain/test-event";
import { visible } from "../shared/visible-text";
import { useEventTypes } from "./data";

/** The settings of an endpoint in the form: texts and ticks. */
export type Settings = Readonly<{
  url: string;
  description: string;
  events: string;
  ordering: Endpoint["ordering"];
  maxInFlight: string;
  rateLimit: string;
  timeout: string;
  schedule: string;
  permanent: string;
  whileInactive: Endpoint["while_inactive"];
  onExhausted: Endpoint["on_exhausted"];
  format: Endpoint["format"];
}>;

export const NEW: Settings = {
  url: "",
  description: "",
  events: "*",
  ordering: "ordered",
  maxInFlight: "10",
  rateLimit: "",
  timeout: "",
  schedule: "",
  permanent: "",
  whileInactive: "hold",
  onExhausted: "skip",
  format: "payload",
};

export function settingsOf(endpoint: Endpoint): Settings {
  return {
    url: endpoint.url,
    description: endpoint.description ?? "",
    events: endpoint.event_filter,
    ordering: endpoint.ordering,
    maxInFlight: String(endpoint.max_in_flight),
    rateLimit: endpoint.rate_limit === null ? "" : String(endpoint.rate_limit),
    timeout: endpoint.timeout_ms === null ? "" : String(endpoint.timeout_ms / 1_000),
    schedule: endpoint.retry_schedule_ms?.map((ms) => ms / 1_000).join(", ") ?? "",
    permanent: endpoint.permanent_statuses.join(", "),
    whileInactive: endpoint.while_inactive,
    onExhausted: endpoint.on_exhausted,
    format: endpoint.format,
  };
}

/** Returns the body of a request with these settings. The service checks every value. */
export function changesOf(settings: Settings): EndpointChanges {
  const numbers = (text: string) =>
    text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number);
  const optional = (text: string) => (text.trim() === "" ? null : Number(text));
  const schedule = numbers(settings.schedule);
  const timeout = optional(settings.timeout);
  return {
    url: settings.url.trim(),
    description: settings.description.trim() || null,
    event_filter: settings.events.trim() || "*",
    ordering: settings.ordering,
    max_in_flight: Number(settings.maxInFlight),
    rate_limit: optional(settings.rateLimit),
    timeout_ms: timeout === null ? null : Math.round(timeout * 1_000),
    retry_schedule_ms: schedule.length === 0 ? null : schedule.map((seconds) => Math.round(seconds * 1_000)),
    permanent_statuses: numbers(settings.permanent),
    while_inactive: settings.whileInactive,
    on_exhausted: settings.onExhausted,
    format: settings.format,
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

const ORDERS = [
  ["ordered", "In one order", "A delivery that waits for its retry holds back those behind it."],
  [
    "by_key",
    "In an order for each key",
    "Deliveries with the same ordering key follow each other; keys don't wait for each other.",
  ],
  ["unordered", "Without an order", "Nothing waits for anything else."],
] as const;

export function OrderFields({ settings, onChange }: Fields) {
  return (
    <>
      <fieldset class="choices">
        <legend>Order</legend>
        {ORDERS.map(([value, title, detail]) => (
          <label class="tick" key={value}>
            <input
              type="radio"
              name="ordering"
              checked={settings.ordering === value}
              onChange={() => onChange({ ordering: value })}
            />
            <span class="two">
              <span class="strong">{title}</span>
              <small>{detail}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="pair">
        {settings.ordering !== "ordered" && (
          <Text
            name="At the same time"
            unit="deliveries"
            value={settings.maxInFlight}
            onInput={(maxInFlight) => onChange({ maxInFlight })}
          />
        )}
        <Text
          name="Rate limit"
          unit="attempts a second"
          placeholder="none"
          value={settings.rateLimit}
          onInput={(rateLimit) => onChange({ rateLimit })}
        />
        <Text
          name="Time to answer"
          unit="seconds"
          placeholder="the service's"
          value={settings.timeout}
          onInput={(timeout) => onChange({ timeout })}
        />
      </div>
      <Text
        name="Waits between attempts"
        unit="seconds, with commas between them; a delivery fails after the last"
        placeholder="the service's"
        value={settings.schedule}
        onInput={(schedule) => onChange({ schedule })}
      />
      <Text
        name="Statuses that fail a delivery at once"
        unit="such as 410, 422"
        placeholder="none"
        value={settings.permanent}
        onInput={(permanent) => onChange({ permanent })}
      />
      <label>
        When a delivery has failed at every attempt
        <select
          class="input"
          value={settings.onExhausted}
          onChange={(event) =>
            onChange({ onExhausted: event.currentTarget.value as Settings["onExhausted"] })
          }
        >
          <option value="skip">let it fail and go on with the next</option>
          <option value="pause">stop at it until somebody resumes the endpoint</option>
        </select>
      </label>
      <label>
        While it is paused
        <select
          class="input"
          value={settings.whileInactive}
          onChange={(event) =>
            onChange({ whileInactive: event.currentTarget.value as Settings["whileInactive"] })
          }
        >
          <option value="hold">keep its events, in order</option>
          <option value="skip">skip events</option>
        </select>
      </label>
      <label>
        Body
        <select
          class="input"
          value={settings.format}
          onChange={(event) => onChange({ format: event.currentTarget.value as Settings["format"] })}
        >
          <option value="payload">the payload</option>
          <option value="envelope">the payload in an envelope, as Standard Webhooks recommends</option>
          <option value="slack">a message for Slack</option>
          <option value="teams">a message for Microsoft Teams</option>
          {/* Only a feed can send e-mail, and the form makes no feeds. */}
          {settings.format === "email" && <option value="email">an e-mail</option>}
        </select>
      </label>
    </>
  );
}

type TextProps = {
  name: string;
  unit: string;
  value: string;
  placeholder?: string;
  onInput(value: string): void;
};

function Text({ name, unit, value, placeholder, onInput }: TextProps) {
  return (
    <label>
      {name}
      <input
        class="input"
        value={value}
        placeholder={placeholder}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <small>{unit}</small>
    </label>
  );
}

export function useSettings(first: Settings) {
  const [settings, setSettings] = useState(first);
  return { settings, onChange: (changes: Partial<Settings>) => setSettings({ ...settings, ...changes }) };
}
