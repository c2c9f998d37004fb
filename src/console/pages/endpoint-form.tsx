import type { ComponentChildren } from "preact";
import type { Endpoint, EndpointChanges } from "../../client/types";
import { access, can } from "../shared/access";
import { linesOf, valuesIn } from "../shared/name-lines";
import { type PartTexts, partTexts } from "../shared/texts";
import { AddressVerdict } from "./address-verdict";
import { EventFields } from "./event-fields";

/** The texts of a form about an endpoint, by their fields. */
export type FormTexts = Readonly<Record<string, string>>;

export type FieldsProps = Readonly<{
  draft: FormTexts;
  /** Null for a new one. */
  endpoint: Endpoint | null;
  onChange(texts: FormTexts): void;
}>;

/** A part of the form: a step of the wizard, and a chapter of the settings. */
export type Section = Readonly<{
  title(t: PartTexts): string;
  /** Returns the texts of an endpoint, or those of a new one. */
  read(endpoint: Endpoint | null): FormTexts;
  /** Returns the fields of a request that the texts mean. The service checks every value. */
  write(draft: FormTexts): EndpointChanges;
  Fields(props: FieldsProps): ComponentChildren;
}>;

export function readAll(sections: readonly Section[], endpoint: Endpoint | null): FormTexts {
  return Object.assign({}, ...sections.map(({ read }) => read(endpoint)));
}

export function writeAll(sections: readonly Section[], draft: FormTexts): EndpointChanges {
  return Object.assign({}, ...sections.map(({ write }) => write(draft)));
}

const ADDRESS: Section = {
  title: (t) => t.address,
  read: (endpoint) => ({
    delivery: endpoint?.delivery ?? "push",
    url: endpoint?.url ?? "",
    description: endpoint?.description ?? "",
  }),
  write: ({ delivery, url = "", description = "" }) => ({
    ...(delivery !== "pull" && { url: url.trim() }),
    description: description.trim() || null,
  }),
  Fields: AddressFields,
};

/** The widest filter that the session may give an endpoint. */
const widest = () => access.value.eventTypes?.join(", ") ?? "*";

const EVENTS: Section = {
  title: (t) => t.events,
  read: (endpoint) => ({ events: endpoint?.event_filter ?? widest() }),
  write: ({ events = "" }) => ({ event_filter: events.trim() || widest() }),
  Fields: ({ draft, onChange }) => (
    <EventFields chosen={draft.events ?? ""} widest={widest()} onChoose={(events) => onChange({ events })} />
  ),
};

/** Headers of requests. The values of secret ones are never shown, so a change of any header needs them again. */
const HEADERS: Section = {
  title: (t) => t.headers,
  read: (endpoint) => ({
    headers: linesOf(endpoint?.headers ?? {}),
    secret_headers: (endpoint?.sensitive_headers ?? []).map((name) => `${name}: `).join("\n"),
  }),
  write: ({ headers = "", secret_headers: secret = "" }) => ({
    headers: { ...valuesIn(headers), ...valuesIn(secret) },
    sensitive_headers: Object.keys(valuesIn(secret)),
  }),
  Fields: HeaderFields,
};

/** The sections of what a customer can set too. */
export const SHARED = { ADDRESS, EVENTS, HEADERS };

/** Shows sections below each other. The heading of the first is around them. */
export function Chapters({ sections, ...props }: FieldsProps & { sections: readonly Section[] }) {
  return (
    <>
      {sections.map(({ title, Fields }, index) => (
        <>
          {index > 0 && <h3>{title(partTexts.value)}</h3>}
          <Fields {...props} />
        </>
      ))}
    </>
  );
}

/** Makes one section of several, with the title of the first. */
export function joined(first: Section, ...others: readonly Section[]): Section {
  const sections = [first, ...others];
  return {
    title: first.title,
    read: (endpoint) => readAll(sections, endpoint),
    write: (draft) => writeAll(sections, draft),
    Fields: (props) => <Chapters sections={sections} {...props} />,
  };
}

function AddressFields({ draft: { delivery, url = "", description }, onChange }: FieldsProps) {
  const t = partTexts.value;
  const isPlain = /^http:/i.test(url.trim());
  return (
    <>
      {delivery !== "pull" && (
        <label>
          {t.url}
          <input
            class="input mono"
            type="url"
            required
            placeholder="https://example.com/webhooks"
            value={url}
            onInput={(event) => onChange({ url: event.currentTarget.value })}
          />
          {isPlain && <small>{t.plainHint}</small>}
          {can("add_endpoints") && <AddressVerdict url={url} />}
          {!can("view_payloads") && <small>{t.urlHint}</small>}
        </label>
      )}
      <label>
        {t.name}
        <input
          class="input"
          value={description}
          onInput={(event) => onChange({ description: event.currentTarget.value })}
        />
        <small>{t.nameHint}</small>
      </label>
    </>
  );
}

function HeaderFields({ draft, onChange }: FieldsProps) {
  const t = partTexts.value;
  const field = (name: "headers" | "secret_headers", label: string, hint: string, example: string) => (
    <label>
      {label}
      <textarea
        class="input mono"
        rows={2}
        spellcheck={false}
        placeholder={example}
        value={draft[name]}
        onInput={(event) => onChange({ [name]: event.currentTarget.value })}
      />
      <small>{hint}</small>
    </label>
  );
  return (
    <>
      {field("headers", t.plainHeaders, t.headersHint, "x-tenant: 42")}
      {field("secret_headers", t.secretHeaders, t.secretHeadersHint, "authorization: …")}
    </>
  );
}
