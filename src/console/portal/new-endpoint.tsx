import { useState } from "preact/hooks";
import type { CreatedEndpoint } from "../../client/types";
import { call } from "../shared/api";
import { go } from "../shared/location";
import { FieldProblem, Id, problemText } from "../shared/parts";
import { invalidate } from "../shared/resource";
import { Snippets } from "../shared/snippets";
import { say } from "../shared/toast";
import { may, texts } from "./session";

/** Address and events, then the secret once, code that verifies, and a test event. */
export function NewEndpoint() {
  const t = texts.value;
  const [created, setCreated] = useState<CreatedEndpoint | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    try {
      const body = {
        url: text("url"),
        description: text("name") || null,
        event_filter: text("events") || "*",
      };
      setCreated(await call("post", "/v1/endpoints", { body }));
      invalidate("endpoints");
    } catch (error) {
      setProblem(problemText(error));
    }
  };
  if (created) return <Verify endpoint={created} />;
  return (
    <>
      <h1>{t.add}</h1>
      <form class="card pad form" onSubmit={submit}>
        <label>
          {t.url}
          <input
            class="input mono"
            name="url"
            type="url"
            required
            placeholder="https://example.com/webhooks"
          />
        </label>
        <label>
          {t.name}
          <input class="input" name="name" />
        </label>
        <label>
          {t.events}
          <input class="input mono" name="events" defaultValue="*" />
          <small>{t.eventsHint}</small>
        </label>
        <FieldProblem text={problem} />
        <div class="dialog-actions">
          <a class="btn" href="/portal">
            {t.back}
          </a>
          <button type="submit" class="btn pri">
            {t.create}
          </button>
        </div>
      </form>
    </>
  );
}

function Verify({ endpoint }: { endpoint: CreatedEndpoint }) {
  const t = texts.value;
  const test = async () => {
    try {
      await call("post", "/v1/endpoints/{id}/test", { path: { id: endpoint.id }, body: {} });
      say(t.testSent);
    } catch (error) {
      say(problemText(error));
    }
  };
  return (
    <>
      <h1>{t.secret}</h1>
      <section class="card pad">
        <p class="dim">{t.secretOnce}</p>
        <p class="secret">
          <Id id={endpoint.signing_secret} />
        </p>
      </section>
      <Snippets title={t.verify} />
      <div class="row wrap">
        {may("test") && (
          <button type="button" class="btn" onClick={() => void test()}>
            {t.test}
          </button>
        )}
        <button type="button" class="btn pri" onClick={() => go("/portal")}>
          {t.stored}
        </button>
      </div>
    </>
  );
}
