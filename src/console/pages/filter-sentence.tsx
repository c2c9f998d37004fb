import { useState } from "preact/hooks";
import { can } from "../shared/access";
import { errorWords } from "../shared/answer";
import { Choice } from "../shared/choice";
import { addressOf, nameOf } from "../shared/endpoint-name";
import { fieldOf, readField } from "../shared/format";
import { Icon } from "../shared/icon";
import { params, setParams } from "../shared/location";
import { FieldProblem } from "../shared/parts";
import { Popover } from "../shared/popover";
import { partTexts } from "../shared/texts";
import { visible } from "../shared/visible-text";
import type { Filters } from "./delivery-filters";
import { useEndpoints, useEventTypes } from "./endpoint-data";
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

type FilterSentenceProps = {
  filters: Filters;
  /** False if the session must name an endpoint. */
  mayAskAll?: boolean;
};

/** The filters as one sentence. Each part is a button that changes it. */
export function FilterSentence({ filters, mayAskAll = true }: FilterSentenceProps) {
  const t = partTexts.value;
  const endpoints = useEndpoints().data ?? [];
  const types = useEventTypes().data ?? [];
  const endpoint = endpoints.find(({ id }) => id === filters.endpoint);
  return (
    <div class="sentence" role="search" aria-label={t.filters}>
      <EventChoice filters={filters} types={types} takesText />
      <span>{t.to}</span>
      <Choice
        name={t.endpoint}
        value={filters.endpoint ?? ""}
        shown={
          filters.endpoint === null ? t.anyEndpoint : visible(endpoint ? nameOf(endpoint) : filters.endpoint)
        }
        options={[
          ...(mayAskAll ? [{ value: "", label: t.anyEndpoint }] : []),
          ...endpoints.map((each) => ({ value: each.id, label: nameOf(each), detail: addressOf(each) })),
        ]}
        onChoose={(id) => setParams({ endpoint: id }, { replace: false })}
      />
      <span>{t.accepted}</span>
      <TimeChoice filters={filters}>
        <OwnRange filters={filters} />
      </TimeChoice>
      <span>{t.having}</span>
      <OutcomeChoice filters={filters} />
      <More filters={filters} />
    </div>
  );
}

function OwnRange({ filters }: { filters: Filters }) {
  const t = partTexts.value;
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
        {t.fromField}
        <input class="input" type="datetime-local" name="after" value={shown(filters.after)} />
      </label>
      <label>
        {t.untilField}
        <input class="input" type="datetime-local" name="before" value={shown(filters.before)} />
      </label>
      <button type="submit" class="btn sm">
        {t.apply}
      </button>
    </form>
  );
}

/** The filters that need a search: the answer, the error, the key, the number, fields of the payload. */
function More({ filters }: { filters: Filters }) {
  const t = partTexts.value;
  const found = [
    filters.answer !== null &&
      (["response_status", filters.answer === "0" ? t.noneAnswered : t.answeredBy(filters.answer)] as const),
    filters.error !== null && (["error", errorWords(filters.error)] as const),
    filters.key !== null && (["ordering_key", t.ofKey(filters.key)] as const),
    filters.sequence !== null && (["sequence", t.numbered(filters.sequence)] as const),
    ...filters.fields.map(([name, value]) => [`data.${name}`, `${name} = ${value}`] as const),
  ].filter((each) => each !== false);
  return (
    <>
      {found.map(([name, label]) => (
        <button
          key={name}
          type="button"
          class="choice chosen"
          aria-label={t.removeFilter(label)}
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
            {t.moreFilters}
          </>
        }
      >
        {(close) => <MoreForm onDone={close} />}
      </Popover>
    </>
  );
}

function MoreForm({ onDone }: { onDone(): void }) {
  const t = partTexts.value;
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const answer = text("answer").toLowerCase();
    if (answer !== "" && !/^([1-5]xx|0|[1-9]\d\d)$/.test(answer)) return setProblem(t.answerProblem);
    const sequence = text("sequence");
    if (sequence !== "" && !/^[1-9]\d{0,11}$/.test(sequence)) return setProblem(t.numberProblem);
    if (text("value") !== "" && text("field") === "") return setProblem(t.payloadProblem);
    const changes: Record<string, string | null> = {};
    if (answer) changes.response_status = answer;
    if (text("error")) changes.error = text("error");
    if (text("key")) changes.ordering_key = text("key");
    if (sequence) changes.sequence = sequence;
    if (text("field")) changes[`data.${text("field")}`] = text("value");
    onDone();
    setParams(changes, { replace: false });
  };
  return (
    <form class="form narrow-form" onSubmit={submit}>
      <label>
        {t.answerField}
        <input
          class="input"
          name="answer"
          placeholder={t.answerExample}
          defaultValue={params.value.get("response_status") ?? ""}
        />
      </label>
      <label>
        {t.errorField}
        <select class="input" name="error">
          <option value="">{t.anyError}</option>
          {ERRORS.map((error) => (
            <option key={error} value={error}>
              {errorWords(error)}
            </option>
          ))}
        </select>
      </label>
      <OrderFields />
      {can("view_payloads") && <PayloadFields />}
      <FieldProblem text={problem} />
      <button type="submit" class="btn pri">
        {t.addFilters}
      </button>
    </form>
  );
}

function OrderFields() {
  const t = partTexts.value;
  return (
    <div class="pair">
      <label>
        {t.numberField}
        <input class="input" name="sequence" inputMode="numeric" />
      </label>
      <label>
        {t.keyField}
        <input class="input mono" name="key" />
      </label>
    </div>
  );
}

function PayloadFields() {
  const t = partTexts.value;
  return (
    <div class="pair">
      <label>
        {t.payloadField}
        <input class="input mono" name="field" />
      </label>
      <label>
        {t.payloadValue}
        <input class="input mono" name="value" />
      </label>
    </div>
  );
}
