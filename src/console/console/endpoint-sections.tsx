import { useState } from "preact/hooks";
import type { FilterTestResult } from "../../client/types";
import { type FieldsProps, joined, type Section, SHARED } from "../pages/endpoint-form";
import { linkToPage } from "../shared/access";
import { call } from "../shared/api";
import { plural } from "../shared/format";
import { FieldProblem, problemText } from "../shared/parts";
import { visible } from "../shared/visible-text";
import { SettingFields } from "./setting-fields";
import { NEW_TEXTS, textsOf, valuesOf } from "./setting-texts";

// The settings of an endpoint that only the sender sees, beside those that a customer can change too.

const DELIVERY: Section = {
  title: () => "Order and limits",
  read: (endpoint) => (endpoint === null ? NEW_TEXTS : textsOf(endpoint)),
  write: valuesOf,
  Fields: ({ draft, onChange }) => <SettingFields texts={draft} onChange={onChange} />,
};

const EXTERNAL_ID: Section = {
  title: () => "Your own id",
  read: (endpoint) => ({ external_id: endpoint?.external_id ?? "" }),
  write: ({ external_id: id = "" }) => ({ external_id: id.trim() || null }),
  Fields: ({ draft, onChange }) => (
    <label>
      External id
      <input
        class="input mono"
        value={draft.external_id}
        onInput={(event) => onChange({ external_id: event.currentTarget.value })}
      />
      <small>Requests can name the endpoint by it, with ~ in front.</small>
    </label>
  ),
};

const FILTER: Section = {
  title: () => "Condition",
  read: (endpoint) => ({ filter: endpoint?.filter ?? "" }),
  write: ({ filter = "" }) => ({ filter: filter.trim() || null }),
  Fields: FilterFields,
};

const { ADDRESS, EVENTS, HEADERS } = SHARED;

/** The chapters of an endpoint's settings. */
export const SECTIONS = [ADDRESS, EVENTS, FILTER, DELIVERY, HEADERS, EXTERNAL_ID];
/** The steps of a new endpoint. */
export const STEPS = [joined(ADDRESS, HEADERS, EXTERNAL_ID), joined(EVENTS, FILTER), DELIVERY];

function FilterFields({ draft: { filter = "" }, endpoint, onChange }: FieldsProps) {
  return (
    <>
      <label>
        Only events for which this is true
        <textarea
          class="input mono"
          rows={3}
          spellcheck={false}
          placeholder='data.amount > 100 && metadata.region == "eu"'
          value={filter}
          onInput={(event) => onChange({ filter: event.currentTarget.value })}
        />
        <small>In CEL, about event, data and the endpoint's metadata. Empty for no condition.</small>
      </label>
      {endpoint && filter.trim() !== "" && <FilterTrial endpointId={endpoint.id} filter={filter.trim()} />}
    </>
  );
}

type Trial = Readonly<{ filter: string; found: FilterTestResult | null; problem: string | null }>;

/** Tries a condition on the kept events before it is saved. */
function FilterTrial({ endpointId, filter }: { endpointId: string; filter: string }) {
  const [trial, setTrial] = useState<Trial | null>(null);
  const attempt = () =>
    call("post", "/v1/endpoints/{id}/filter/test", { path: { id: endpointId }, body: { filter } }).then(
      (found) => setTrial({ filter, found, problem: null }),
      (error) => setTrial({ filter, found: null, problem: problemText(error) }),
    );
  const { found, problem } = trial?.filter === filter ? trial : { found: null, problem: null };
  return (
    <div aria-live="polite">
      <button type="button" class="btn sm" onClick={() => void attempt()}>
        Try on the last events
      </button>
      <FieldProblem text={problem} />
      {found && <Verdict found={found} />}
    </div>
  );
}

const OUTCOMES = {
  match: "goes to it",
  event_types: "is of another event type",
  filter: "is excluded",
  error: "is excluded, since the condition fails",
} as const;

function Verdict({ found: { examined, matched, data } }: { found: FilterTestResult }) {
  if (examined === 0) return <p>There is no event of the last day to try it on.</p>;
  return (
    <>
      <p>
        {matched} of the newest {plural(examined, "event goes", "events go")} to the endpoint.
      </p>
      <ul class="fields">
        {data.slice(0, 10).map(({ id, event, outcome, error }) => (
          <li key={id}>
            <a class="link" href={linkToPage(`/${id.startsWith("evt_") ? "events" : "deliveries"}/${id}`)}>
              {visible(event ?? id)}
            </a>
            <span class="dim">
              {OUTCOMES[outcome]}
              {error && `: ${visible(error)}`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
