import { useState } from "preact/hooks";
import { useEndpoints, useEventTypes } from "../pages/endpoint-data";
import { errorWords } from "../shared/answer";
import { Choice } from "../shared/choice";
import { nameOf } from "../shared/endpoint-name";
import { fieldOf, readField } from "../shared/format";
import { Icon } from "../shared/icon";
import { params, setParams } from "../shared/location";
import { FieldProblem } from "../shared/parts";
import { Popover } from "../shared/popover";
import { visible } from "../shared/visible-text";
import type { Filters } from "./delivery-filters";
import { EventChoice, OutcomeChoice, TimeChoice } from "./filter-choices";

/** The errors of attempts that people search for. */
const ERRORS = [
  "timeout",
  "connection_refused",
  "connection_reset",
  "connection_failed",
  "dns",
  "tls",
  "blocked_address",
];

/** The filters as one sentence. Each part is a button that changes it. */
export function FilterSentence({ filters }: { filters: Filters }) {
  const endpoints = useEndpoints().data ?? [];
  const types = useEventTypes().data ?? [];
  const endpoint = endpoints.find(({ id }) => id === filters.endpoint);
  return (
    <div class="sentence" role="search" aria-label="Filters">
      <EventChoice filters={filters} types={types} takesText />
      <span>to</span>
      <Choice
        name="Endpoint"
        value={filters.endpoint ?? ""}
        shown={
          filters.endpoint === null
            ? "all endpoints"
            : visible(endpoint ? nameOf(endpoint) : filters.endpoint)
        }
        options={[
          { value: "", label: "all endpoints" },
          ...endpoints.map((each) => ({ value: each.id, label: nameOf(each), detail: each.url })),
        ]}
        onChoose={(id) => setParams({ endpoint: id }, { replace: false })}
      />
      <span>accepted</span>
      <TimeChoice filters={filters}>
        <OwnRange filters={filters} />
      </TimeChoice>
      <span>with</span>
      <OutcomeChoice filters={filters} />
      <More filters={filters} />
    </div>
  );
}

function OwnRange({ filters }: { filters: Filters }) {
  const shown = (text: string | null) => (text === null ? "" : fieldOf(new Date(text)));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const iso = (name: string) => {
      const text = String(form.get(name) ?? "");
      return text === "" ? null : readField(text);
    };
    setParams({ time: null, after: iso("after"), before: iso("before") }, { replace: false });
  };
  return (
    <form class="own-range" onSubmit={submit}>
      <label>
        From
        <input class="input" type="datetime-local" name="after" value={shown(filters.after)} />
      </label>
      <label>
        Until
        <input class="input" type="datetime-local" name="before" value={shown(filters.before)} />
      </label>
      <button type="submit" class="btn sm">
        Apply
      </button>
    </form>
  );
}

/** The filters that need a search: the answer, the error, fields of the payload. */
function More({ filters }: { filters: Filters }) {
  const found = [
    filters.answer !== null &&
      (["response_status", `answer ${filters.answer === "0" ? "none" : filters.answer}`] as const),
    filters.error !== null && (["error", errorWords(filters.error)] as const),
    ...filters.fields.map(([name, value]) => [`data.${name}`, `${name} = ${value}`] as const),
  ].filter((each) => each !== false);
  return (
    <>
      {found.map(([name, label]) => (
        <button
          key={name}
          type="button"
          class="choice chosen"
          aria-label={`Remove ${label}`}
          onClick={() => setParams({ [name]: null }, { replace: false })}
        >
          <span class="trunc">{visible(label)}</span>
          <Icon name="close" small />
        </button>
      ))}
      <Popover
        class="choice any"
        label={
          <>
            <Icon name="plus" small />
            answer, error, payload field
          </>
        }
      >
        {(close) => <MoreForm onDone={close} />}
      </Popover>
    </>
  );
}

function MoreForm({ onDone }: { onDone(): void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const answer = text("answer").toLowerCase();
    if (answer !== "" && !/^([1-5]xx|0|[1-9]\d\d)$/.test(answer))
      return setProblem("The answer is a status such as 503, or a class such as 5xx.");
    if (text("value") !== "" && text("field") === "") return setProblem("Name the field of the payload.");
    const changes: Record<string, string | null> = {};
    if (answer) changes.response_status = answer;
    if (text("error")) changes.error = text("error");
    if (text("field")) changes[`data.${text("field")}`] = text("value");
    onDone();
    setParams(changes, { replace: false });
  };
  return (
    <form class="form narrow-form" onSubmit={submit}>
      <label>
        Answer
        <input
          class="input"
          name="answer"
          placeholder="503, 5xx, or 0 for none"
          defaultValue={params.value.get("response_status") ?? ""}
        />
      </label>
      <label>
        Error
        <select class="input" name="error">
          <option value="">any</option>
          {ERRORS.map((error) => (
            <option key={error} value={error}>
              {errorWords(error)}
            </option>
          ))}
        </select>
      </label>
      <div class="pair">
        <label>
          Payload field
          <input class="input mono" name="field" placeholder="order_id" />
        </label>
        <label>
          has the value
          <input class="input mono" name="value" placeholder="42" />
        </label>
      </div>
      <FieldProblem text={problem} />
      <button type="submit" class="btn pri">
        Add filters
      </button>
    </form>
  );
}
