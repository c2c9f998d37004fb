import { useState } from "preact/hooks";
import { FieldProblem, problemText } from "../shared/parts";
import { may, session, texts, widestFilter } from "./session";

/** The form with the settings of an endpoint that a customer may change. */
export type EndpointValues = Readonly<{ url: string; description: string | null; event_filter: string }>;

type EndpointFormProps = {
  values: EndpointValues;
  action: string;
  onSubmit(values: EndpointValues): Promise<void>;
  onBack(): void;
};

export function EndpointForm({ values, action, onSubmit, onBack }: EndpointFormProps) {
  const t = texts.value;
  const bound = session.value?.event_types ?? null;
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const given = {
      url: text("url"),
      description: text("name") || null,
      event_filter: text("events") || widestFilter(),
    };
    await onSubmit(given).catch((error) => setProblem(problemText(error)));
  };
  return (
    <form class="form" onSubmit={submit}>
      <label>
        {t.url}
        <input
          class="input mono"
          name="url"
          type="url"
          required
          placeholder="https://example.com/webhooks"
          defaultValue={values.url}
        />
        {!may("view_payloads") && <small>{t.urlHint}</small>}
      </label>
      <label>
        {t.name}
        <input class="input" name="name" defaultValue={values.description ?? ""} />
      </label>
      <label>
        {t.events}
        <input class="input mono" name="events" defaultValue={values.event_filter} />
        <small>{bound === null ? t.eventsHint : t.eventsWithin(bound.join(", "))}</small>
      </label>
      <FieldProblem text={problem} />
      <div class="dialog-actions">
        <button type="button" class="btn" onClick={onBack}>
          {t.back}
        </button>
        <button type="submit" class="btn pri">
          {action}
        </button>
      </div>
    </form>
  );
}
